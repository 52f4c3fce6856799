// Parser for GOAL text, such as `a: send 8b to 1 tag 3`, `b: calc 100` and `b requires a` within `rank 0 { … }`.
#include <algorithm>
#include <charconv>
#include <limits>
#include <unordered_map>

#include "replay/c_api.h"
#include "replay/goal.hpp"

namespace pysmpi {

namespace {

enum class TokenKind : std::uint8_t { kWord, kNumber, kSymbol, kLineEnd, kTextEnd };

struct Token {
  TokenKind kind;
  std::string_view text;
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) { next(); }

  const Token& token() const { return token_; }
  std::uint32_t line() const { return line_; }

  void next() {
    if (token_.kind == TokenKind::kLineEnd) ++line_;
    skip();
    if (at_ == text_.size()) {
      token_ = {TokenKind::kTextEnd, "the end of the text"};
      return;
    }
    const std::size_t begin = at_;
    const char c = text_[at_++];
    if (c == '\n') {
      token_ = {TokenKind::kLineEnd, "the end of the line"};
    } else if (is_digit(c) || (c == '-' && at_ < text_.size() && is_digit(text_[at_]))) {
      while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
      token_ = {TokenKind::kNumber, text_.substr(begin, at_ - begin)};
    } else if (is_letter(c)) {
      while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
      token_ = {TokenKind::kWord, text_.substr(begin, at_ - begin)};
    } else {
      token_ = {TokenKind::kSymbol, text_.substr(begin, 1)};
    }
  }

 private:
  void skip() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
      } else if (text_.substr(at_, 2) == "//") {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.substr(at_, 2) == "/*") {
        const std::size_t end = std::min(text_.find("*/", at_ + 2), text_.size());
        line_ += static_cast<std::uint32_t>(std::count(text_.begin() + at_, text_.begin() + end, '\n'));
        at_ = std::min(end + 2, text_.size());
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  Token token_ = {TokenKind::kSymbol, ""};
};

class Reader {
 public:
  Reader(std::string_view text, GoalProgram& program, TextError& error)
      : scan_(text), program_(program), error_(error) {}

  bool read() {
    skip_lines();
    if (!word("num_ranks")) return false;
    std::int64_t ranks = 0;
    if (!number("the number of ranks", 1, PYSMPI_REPLAY_MOST_RANKS, ranks)) return false;
    ranks_ = static_cast<std::int32_t>(ranks);
    spans_.assign(static_cast<std::size_t>(ranks_), {0, 0});
    seen_.assign(static_cast<std::size_t>(ranks_), false);
    for (skip_lines(); scan_.token().kind != TokenKind::kTextEnd; skip_lines()) {
      if (!rank()) return false;
    }
    join();
    return true;
  }

 private:
  struct Dependence {
    OperationId after, before;
    bool at_beginning;
  };

  bool fail(std::string text, std::string word = "", std::string valid = "") {
    error_ = {scan_.line(), std::move(text), std::move(word), std::move(valid)};
    return false;
  }
  bool expected(const std::string& what) {
    return fail("expected " + what + ", found '" + std::string(scan_.token().text) + "'");
  }

  bool is(std::string_view text) const { return scan_.token().text == text; }
  bool take(std::string_view text) {
    if (!is(text)) return false;
    scan_.next();
    return true;
  }
  bool word(const char* text) { return take(text) || expected(std::string("'") + text + "'"); }
  void skip_lines() {
    while (scan_.token().kind == TokenKind::kLineEnd) scan_.next();
  }
  bool end_of_line(const char* else_what) {
    if (scan_.token().kind == TokenKind::kLineEnd || is("}") || scan_.token().kind == TokenKind::kTextEnd) return true;
    return expected(else_what);
  }

  bool number(const char* what, std::int64_t least, std::int64_t most, std::int64_t& value) {
    const Token& token = scan_.token();
    if (token.kind != TokenKind::kNumber) return expected(what);
    const auto [end, code] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
    if (code != std::errc() || value < least || value > most) {
      return fail(std::string(what) + " is " + std::string(token.text) + "; valid: " + std::to_string(least) + " to " +
                  std::to_string(most));
    }
    scan_.next();
    return true;
  }

  bool rank() {
    std::int64_t rank = 0;
    if (!word("rank") || !number("a rank", 0, ranks_ - 1, rank)) return false;
    if (seen_[rank]) return fail("rank " + std::to_string(rank) + " is defined twice");
    seen_[rank] = true;
    rank_ = static_cast<std::int32_t>(rank);
    skip_lines();
    if (!word("{")) return false;
    labels_.clear();
    const auto begin = static_cast<OperationId>(program_.operations.size());
    for (skip_lines(); !take("}"); skip_lines()) {
      if (scan_.token().kind == TokenKind::kTextEnd) return expected("'}'");
      if (!statement()) return false;
    }
    spans_[rank] = {begin, static_cast<OperationId>(program_.operations.size())};
    return true;
  }

  bool statement() {
    if (scan_.token().kind != TokenKind::kWord) return expected("an operation or a label");
    const std::string_view first = scan_.token().text;
    if (is("send") || is("recv") || is("calc")) return operation();
    scan_.next();
    if (take(":")) {
      const auto id = static_cast<OperationId>(program_.operations.size());
      if (!labels_.emplace(first, id).second) return fail("the label '" + std::string(first) + "' is defined twice");
      return operation();
    }
    if (is("requires") || is("irequires")) return dependence(first);
    return fail("unknown operation", std::string(first), "send, recv, calc");
  }

  bool dependence(std::string_view after) {
    const bool at_beginning = is("irequires");
    scan_.next();
    if (scan_.token().kind != TokenKind::kWord) return expected("a label");
    OperationId ids[2];
    const std::string_view names[] = {after, scan_.token().text};
    for (int i = 0; i < 2; ++i) {
      const auto found = labels_.find(names[i]);
      if (found == labels_.end()) {
        return fail("label '" + std::string(names[i]) + "' is not defined in rank " + std::to_string(rank_) +
                    " above this line");
      }
      ids[i] = found->second;
    }
    dependences_.push_back({ids[0], ids[1], at_beginning});
    ++program_.operations[ids[0]].awaited;
    scan_.next();
    return end_of_line("the end of the line");
  }

  static constexpr std::int64_t kMost = std::int64_t{1} << 52;  // highest size of a message or computation

  bool operation() {
    GoalOperation op{.kind = OperationKind::kCompute, .rank = rank_, .line = scan_.line()};
    if (take("calc")) {
      if (!number("the length in ns", 0, kMost, op.size)) return false;
    } else if (!message(op)) {
      return false;
    }
    if (take("cpu") && !small("the cpu's number", op.processor, program_.processors)) return false;
    if (take("nic") && !small("the nic's number", op.adapter, program_.adapters)) return false;
    program_.operations.push_back(op);
    return end_of_line(op.kind == OperationKind::kCompute ? "'cpu' or the end of the line"
                                                          : "'tag', 'cpu', 'nic' or the end of the line");
  }

  bool message(GoalOperation& op) {
    const bool sends = take("send");
    if (!sends && !take("recv")) {
      return fail("unknown operation", std::string(scan_.token().text), "send, recv, calc");
    }
    op.kind = sends ? OperationKind::kSend : OperationKind::kReceive;
    std::int64_t peer = 0;
    if (!number("the size", 0, kMost, op.size) || !word("b") || !word(sends ? "to" : "from") ||
        !number("the other rank", sends ? 0 : -1, ranks_ - 1, peer)) {
      return false;
    }
    op.peer = peer < 0 ? GoalProgram::kAnyPeer : static_cast<std::int32_t>(peer);
    if (take("tag")) {
      // LogGOPSim keeps the lower 32 bits of a tag, without sign; if all are set, a receive accepts any tag.
      std::int64_t tag = 0;
      if (!number("the tag", sends ? 0 : -1, std::numeric_limits<std::int64_t>::max(), tag)) return false;
      op.tag = static_cast<std::int32_t>(static_cast<std::uint32_t>(tag));
      if (sends && op.tag == GoalProgram::kAnyTag)
        return fail("the tag of a send is 4294967295 (modulo 2^32), any tag");
    }
    program_.has_wildcards = program_.has_wildcards || op.peer < 0 || op.tag == GoalProgram::kAnyTag;
    return true;
  }

  bool small(const char* what, std::uint8_t& value, std::int32_t& highest) {
    std::int64_t found = 0;
    if (!number(what, 0, 255, found)) return false;
    value = static_cast<std::uint8_t>(found);
    highest = std::max(highest, static_cast<std::int32_t>(found) + 1);
    return true;
  }

  // Sort operations by rank, because ranks may come in any order in the text, and sort dependences by the operation
  // that must come first.
  void join() {
    std::vector<GoalOperation> read = std::move(program_.operations);
    std::vector<OperationId> number(read.size());
    program_.operations.clear();
    program_.operations.reserve(read.size());
    program_.first.clear();
    for (const auto& [begin, end] : spans_) {
      program_.first.push_back(static_cast<OperationId>(program_.operations.size()));
      for (OperationId id = begin; id < end; ++id) {
        number[id] = static_cast<OperationId>(program_.operations.size());
        program_.operations.push_back(read[id]);
      }
    }
    program_.first.push_back(static_cast<OperationId>(program_.operations.size()));
    std::vector<std::uint32_t>& following = program_.following;
    following.assign(2 * read.size() + 1, 0);
    const auto place = [&](const Dependence& each) { return 2 * std::size_t{number[each.before]} + each.at_beginning; };
    for (const Dependence& each : dependences_) ++following[place(each) + 1];
    for (std::size_t i = 1; i < following.size(); ++i) following[i] += following[i - 1];
    program_.followers.resize(dependences_.size());
    std::vector<std::uint32_t> next(following.begin(), following.end() - 1);
    for (const Dependence& each : dependences_) program_.followers[next[place(each)]++] = number[each.after];
  }

  Scanner scan_;
  GoalProgram& program_;
  TextError& error_;
  std::int32_t ranks_ = 0, rank_ = 0;
  std::vector<std::pair<OperationId, OperationId>> spans_;  // operations of each rank, in the order of the text
  std::vector<bool> seen_;
  std::unordered_map<std::string_view, OperationId> labels_;  // labels of the current rank; looked up, never iterated
  std::vector<Dependence> dependences_;
};

}  // namespace

bool read_goal(std::string_view text, GoalProgram& program, TextError& error) {
  program = {};
  return Reader(text, program, error).read();
}

}  // namespace pysmpi
