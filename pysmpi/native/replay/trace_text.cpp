// Parser for time-independent traces, which consist of lines such as `0 send 1 0 1e6`: rank, action, arguments.
#include <array>

#include "replay/trace.hpp"
#include "replay/words.hpp"

namespace pysmpi {

const char* const kActionNames[] = {
    "init",      "finalize",   "comm_dup",      "send",    "isend",   "recv",    "irecv",
    "sendRecv",  "test",       "wait",          "waitall", "barrier", "bcast",   "reduce",
    "allreduce", "alltoall",   "alltoallv",     "gather",  "gatherv", "scatter", "scatterv",
    "allgather", "allgatherv", "reducescatter", "scan",    "exscan",  "compute", "sleep",
};

namespace {

struct NamedAction {
  std::string_view name;
  ActionKind kind;
};
constexpr NamedAction kActions[] = {
    {"send", ActionKind::kSend},
    {"recv", ActionKind::kRecv},
    {"compute", ActionKind::kCompute},
    {"isend", ActionKind::kIsend},
    {"irecv", ActionKind::kIrecv},
    {"wait", ActionKind::kWait},
    {"waitall", ActionKind::kWaitall},
    {"test", ActionKind::kTest},
    {"sendRecv", ActionKind::kSendrecv},
    {"sendrecv", ActionKind::kSendrecv},
    {"barrier", ActionKind::kBarrier},
    {"bcast", ActionKind::kBcast},
    {"reduce", ActionKind::kReduce},
    {"allreduce", ActionKind::kAllreduce},
    {"alltoall", ActionKind::kAlltoall},
    {"alltoallv", ActionKind::kAlltoallv},
    {"gather", ActionKind::kGather},
    {"gatherv", ActionKind::kGatherv},
    {"scatter", ActionKind::kScatter},
    {"scatterv", ActionKind::kScatterv},
    {"allgather", ActionKind::kAllgather},
    {"allgatherv", ActionKind::kAllgatherv},
    {"reducescatter", ActionKind::kReduceScatter},
    {"scan", ActionKind::kScan},
    {"exscan", ActionKind::kExscan},
    {"sleep", ActionKind::kSleep},
    {"location", ActionKind::kNothing},
    {"comm_size", ActionKind::kNothing},
    {"comm_split", ActionKind::kNothing},
    {"comm_dup", ActionKind::kNothing},
    {"init", ActionKind::kInit},
    {"finalize", ActionKind::kFinalize},
};

// Size in bytes of each SMPI datatype, by SMPI's number (SimGrid 3.32, src/smpi/mpi/smpi_datatype.cpp).
constexpr std::array<std::uint8_t, 60> kBytesOf = {
    8, 4,  1,  2, 8, 4, 1,  8,  1, 1, 2, 4,  8, 8,  16, 4, 1, 1, 2, 4,  8,  1, 2, 4,  8,  8, 16, 32, 8, 8,
    8, 16, 16, 8, 8, 8, 16, 16, 4, 4, 8, 16, 8, 16, 16, 4, 2, 4, 8, 16, 32, 1, 8, 16, 32, 0, 0,  1,  8, 8};
constexpr std::uint8_t kByteIndex = 0, kDoubleIndex = 3;  // positions in kLengths
constexpr std::int32_t kAnyPeer = -2, kAnyTagHere = -1, kNobody = -1;
// Highest number of elements in one buffer. Even for the longest datatype they fit in half of the folded memory
// (rank_memory/folded.hpp).
constexpr std::int64_t kMostElements = std::int64_t{1} << 53;

class LineReader {
 public:
  LineReader(RankTrace& trace, RankId rank, RankId ranks, std::string_view words, std::uint32_t line, TextError& error)
      : trace_(trace), rank_(rank), ranks_(ranks), words_(words), line_(line), error_(error) {}

  bool read(const NamedAction& named) {
    name_ = named.name;
    Action& action = trace_.actions.emplace_back();
    action.kind = named.kind;
    action.line = line_;
    action.type = action.other_type = trace_.default_type;
    arguments(action);
    return error_.text.empty();
  }

 private:
  void arguments(Action& action) {
    switch (action.kind) {
      case ActionKind::kInit:
        trace_.default_type = is_at_end() ? kByteIndex : kDoubleIndex;
        [[fallthrough]];
      case ActionKind::kFinalize:
      case ActionKind::kNothing:
      case ActionKind::kWaitall:
      case ActionKind::kBarrier:
        return;
      case ActionKind::kCompute:
        action.amount = amount("the flops");
        return;
      case ActionKind::kSleep:
        action.amount = amount("the seconds");
        return;
      default:
        if (!of_messages(action) && !of_equal_blocks(action)) of_counted_blocks(action);
    }
  }

  // Read the arguments of point-to-point communication. Returns false for other actions.
  bool of_messages(Action& action) {
    switch (action.kind) {
      case ActionKind::kSend:
      case ActionKind::kIsend:
      case ActionKind::kRecv:
      case ActionKind::kIrecv: {
        const bool receives = action.kind == ActionKind::kRecv || action.kind == ActionKind::kIrecv;
        action.peer = peer("the other rank", receives);
        action.tag = tag(receives);
        action.count = size("the size", receives);
        action.type = type(action.count);
        return true;
      }
      case ActionKind::kSendrecv:
        action.count = size("the size sent");
        action.peer = peer("the receiver", false);
        action.other = size("the size received");
        action.source = peer("the sender", true);
        action.type = type(action.count);
        action.other_type = type(action.other);
        return true;
      case ActionKind::kWait:
      case ActionKind::kTest:
        action.source = peer("the sender", true);
        action.peer = peer("the receiver", true);
        action.tag = tag(true);
        return true;
      default:
        return false;
    }
  }

  // Read the arguments of collectives whose blocks all have one size. Returns false for other actions.
  bool of_equal_blocks(Action& action) {
    switch (action.kind) {
      case ActionKind::kBcast:
        action.count = size("the size");
        action.peer = root();
        action.type = type(action.count);
        return true;
      case ActionKind::kReduce:
        action.count = size("the size");
        action.amount = amount("the flops");
        action.peer = root();
        action.type = type(action.count);
        return true;
      case ActionKind::kAllreduce:
      case ActionKind::kScan:
      case ActionKind::kExscan:
        action.count = size("the size");
        action.amount = amount("the flops");
        action.type = type(action.count);
        return true;
      case ActionKind::kGather:
      case ActionKind::kScatter:
        action.count = block_size("the size sent");
        action.other = block_size("the size received");
        action.peer = root();
        types(action);
        return true;
      case ActionKind::kAllgather:
      case ActionKind::kAlltoall:
        action.count = block_size("the size sent");
        action.other = block_size("the size received");
        types(action);
        return true;
      default:
        return false;
    }
  }

  // Read the arguments of collectives that have a count for each rank.
  void of_counted_blocks(Action& action) {
    switch (action.kind) {
      case ActionKind::kGatherv:
      case ActionKind::kAllgatherv:
        action.count = size("the size sent");
        action.other = counts();
        if (action.kind == ActionKind::kGatherv) action.peer = root();
        // Displacements may follow the counts or the datatypes; replay ignores them.
        if (action.kind == ActionKind::kAllgatherv && words_left() > 2 && words_left() <= ranks_) return;
        types(action, action.other);
        return;
      case ActionKind::kScatterv:
        action.other = counts();
        action.count = size("the size received");
        action.peer = root();
        types(action, action.other);
        return;
      case ActionKind::kReduceScatter:
        action.count = counts();
        action.amount = amount("the flops");
        action.type = type(action.count, action.count);
        return;
      case ActionKind::kAlltoallv:
        size("the size of the send buffer");
        action.count = counts();
        size("the size of the receive buffer");
        action.other = counts();
        types(action, action.count, action.other);
        return;
      default:
        return;
    }
  }

  void fail(std::string text) {
    if (!error_.text.empty()) return;
    error_.line = line_;
    error_.text = std::string(name_) + ": " + std::move(text);
  }

  bool is_at_end() const { return words_.find_first_not_of(" \t") == std::string_view::npos; }
  std::int32_t words_left() const {
    std::string_view rest = words_;
    std::int32_t number = 0;
    while (!take_word(rest).empty()) ++number;
    return number;
  }

  std::string_view word(const char* what) {
    const std::string_view found = take_word(words_);
    if (found.empty()) fail(std::string(what) + " is missing");
    return found;
  }

  std::int64_t whole(const char* what) {
    const std::string_view found = word(what);
    std::int64_t number = 0;
    if (!found.empty() && !parse_whole(found, number)) {
      fail(std::string(what) + " '" + std::string(found) + "' is not a whole number");
    }
    return number;
  }

  // Read a rank. SMPI's wildcard is -555; its traces also write -333 for it. -666 is MPI_PROC_NULL.
  std::int32_t peer(const char* what, bool any_allowed) {
    const std::int64_t number = whole(what);
    if (number >= 0 && number < ranks_) return static_cast<std::int32_t>(number);
    if (any_allowed && (number == -555 || number == -333)) return kAnyPeer;
    if (number == -666) return kNobody;
    fail(std::string(what) + " is " + std::to_string(number) + "; valid: 0 to " + std::to_string(ranks_ - 1) +
         (any_allowed ? ", or -555 for any" : ""));
    return 0;
  }

  std::int32_t tag(bool any_allowed) {
    const std::int64_t number = whole("the tag");
    if (any_allowed && number == -444) return kAnyTagHere;
    if (number < -0x3fffffff || number > 0x3fffffff) fail("the tag is out of range: " + std::to_string(number));
    return static_cast<std::int32_t>(number);
  }

  std::int64_t size(const char* what, bool unknown_allowed = false) {
    const std::int64_t number = whole(what);
    if (number < 0 && !unknown_allowed) fail(std::string(what) + " is negative: " + std::to_string(number));
    return at_most(kMostElements, what, number);
  }

  // Read the block size of a collective whose buffer has one block for each rank.
  std::int64_t block_size(const char* what) { return at_most(kMostElements / ranks_, what, size(what)); }

  std::int64_t at_most(std::int64_t most, const char* what, std::int64_t number) {
    if (number > most) {
      fail(std::string(what) + " is " + std::to_string(number) + "; the maximum is " + std::to_string(most));
    }
    return number;
  }

  double amount(const char* what) {
    const std::string_view found = word(what);
    double number = 0.0;
    if (!found.empty() && (!parse_number(found, number) || !(number >= 0.0) || std::isinf(number))) {
      fail(std::string(what) + " are '" + std::string(found) + "'; give a number of at least 0");
    }
    return number;
  }

  std::int32_t root() { return is_at_end() ? 0 : peer("the root", false); }

  // Read one count for each rank; return the position of the first one in the trace's numbers.
  std::int64_t counts() {
    const auto begin = static_cast<std::int64_t>(trace_.numbers.size());
    for (RankId i = 0; i < ranks_ && error_.text.empty(); ++i) {
      const std::int64_t number = size("a rank's size");
      if (number > 0x7fffffff) fail("a rank's size is out of range: " + std::to_string(number));
      trace_.numbers.push_back(static_cast<std::int32_t>(number));
    }
    return begin;
  }

  // Read a datatype and return its index in kLengths. For a datatype of size 0, set the count, or all counts from
  // position `vector` on, to zero.
  std::uint8_t type(std::int64_t& count, std::int64_t vector = -1) {
    if (is_at_end()) return trace_.default_type;
    const std::int64_t number = whole("the datatype");
    // SMPI writes -1 for derived datatypes, and its replay treats these as datatypes of size 0.
    if (number < -1 || number >= static_cast<std::int64_t>(kBytesOf.size())) {
      fail("unknown datatype " + std::to_string(number) + "; valid: 0 (MPI_DOUBLE) to 59, for example 6 (MPI_BYTE)");
      return kByteIndex;
    }
    const int bytes = number < 0 ? 0 : kBytesOf[number];
    for (std::uint8_t i = 0; i < std::size(kLengths); ++i) {
      if (kLengths[i] == bytes) return i;
    }
    if (vector < 0) {
      count = 0;
    } else if (error_.text.empty()) {  // after an error there may be fewer counts
      for (RankId i = 0; i < ranks_; ++i) trace_.numbers[vector + i] = 0;
    }
    return kByteIndex;
  }
  void types(Action& action) {
    action.type = type(action.count);
    action.other_type = type(action.other);
  }
  // Read the datatypes of an action in which one side has a count for each rank, such as the send side of scatterv.
  // `vector` is the position of these counts in the trace's numbers.
  void types(Action& action, std::int64_t vector) {
    if (action.kind == ActionKind::kScatterv) {
      action.type = type(action.other, vector);
      action.other_type = type(action.count);
    } else {
      action.type = type(action.count);
      action.other_type = type(action.other, vector);
    }
  }
  void types(Action& action, std::int64_t sent, std::int64_t received) {
    action.type = type(action.count, sent);
    action.other_type = type(action.other, received);
  }

  RankTrace& trace_;
  const RankId rank_, ranks_;
  std::string_view words_;
  const std::uint32_t line_;
  TextError& error_;
  std::string_view name_;
};

const NamedAction* find_action(std::string_view name) {
  for (const NamedAction& action : kActions) {
    if (action.name == name) return &action;
  }
  return nullptr;
}

}  // namespace

bool read_trace(std::string_view text, RankId rank, std::vector<RankTrace>& traces, TextError& error) {
  const auto ranks = static_cast<RankId>(traces.size());
  for (std::uint32_t number = 1; !text.empty(); ++number) {
    std::string_view line = take_line(text);
    const std::string_view first = take_word(line);
    if (first.empty() || first.front() == '#') continue;
    error.line = number;
    std::int64_t of = -1;
    if (!parse_number(first, of) || of < 0 || of >= ranks) {
      error.text = "a line must begin with its rank (0 to " + std::to_string(ranks - 1) + "), not with '" +
                   std::string(first) + "'";
      return false;
    }
    if (rank >= 0 && of != rank) {
      error.text = "the line belongs to rank " + std::to_string(of) + ", but the file to rank " + std::to_string(rank);
      return false;
    }
    const std::string_view name = take_word(line);
    const NamedAction* const action = find_action(name);
    if (!action) {
      error.text = name.empty() ? "the action is missing" : "unknown action";
      error.word = name;
      for (const NamedAction& known : kActions)
        error.valid += (error.valid.empty() ? "" : ", ") + std::string(known.name);
      return false;
    }
    if (!LineReader(traces[of], static_cast<RankId>(of), ranks, line, number, error).read(*action)) return false;
  }
  error.line = 0;
  return true;
}

}  // namespace pysmpi
