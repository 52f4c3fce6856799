// getopt, getopt_long and getopt_long_only, whose position in the command line is one in a process. As in the C library
// of GNU, words that are not options are moved behind the options, unless POSIXLY_CORRECT is set.
#include <getopt.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "executables/environment.hpp"
#include "executables/functions.hpp"
#include "executables/process.hpp"

namespace pysmpi {

namespace {

// One call of getopt in a rank.
class Scan {
 public:
  Scan(Process& process, int count, char* const* words, const char* options, const option* long_options, int* index,
       bool only_long)
      : scan_(process.options),
        argument_(process.variable("optarg", process.option_argument)),
        position_(process.variable("optind", process.option_index)),
        character_(process.variable("optopt", process.option_character)),
        count_(count),
        words_(const_cast<char**>(words)),
        options_(options),
        long_options_(long_options),
        index_(index),
        only_long_(only_long),
        strict_(variable_of(process, "POSIXLY_CORRECT") != nullptr),
        prints_(process.variable("opterr", process.option_error) != 0) {
    if (*options_ == '+' || *options_ == '-') {
      in_order_ = *options_ == '-';
      strict_ = *options_ == '+';
      ++options_;
    }
    if (*options_ == ':') {
      prints_ = false;
      colon_ = true;
      ++options_;
    }
  }

  int next() {
    argument_ = nullptr;
    if (position_ == 0) {
      position_ = 1;
      scan_ = {};
    }
    if (!scan_.rest || *scan_.rest == '\0') {
      if (const int ended = begin_word(); ended != kBegun) return ended;
    }
    return *scan_.rest == '\0' ? finish_word() : next_short();
  }

 private:
  static constexpr int kBegun = -2, kOther = 1;

  char* word() const { return words_[position_]; }
  static bool is_option(const char* word) { return word[0] == '-' && word[1] != '\0'; }

  // Move the words that are not options behind the options that follow them.
  void exchange() {
    std::rotate(words_ + scan_.first, words_ + scan_.end, words_ + position_);
    scan_.first += position_ - scan_.end;
    scan_.end = position_;
  }

  // Go to the next word that is an option. Returns kBegun, or what getopt returns.
  int begin_word() {
    scan_.rest = nullptr;
    scan_.end = std::min(scan_.end, position_);
    scan_.first = std::min(scan_.first, position_);
    if (!strict_ && !in_order_) {
      if (scan_.first != scan_.end && scan_.end != position_) {
        exchange();
      } else if (scan_.end != position_) {
        scan_.first = position_;
      }
      while (position_ < count_ && !is_option(word())) ++position_;
      scan_.end = position_;
    }
    if (position_ < count_ && std::strcmp(word(), "--") == 0) {
      ++position_;
      if (scan_.first != scan_.end && scan_.end != position_) {
        exchange();
      } else if (scan_.first == scan_.end) {
        scan_.first = position_;
      }
      scan_.end = count_;
      position_ = count_;
    }
    if (position_ >= count_) {
      if (scan_.first != scan_.end) position_ = scan_.first;
      return -1;
    }
    if (!is_option(word())) {
      if (!in_order_) return -1;
      argument_ = words_[position_++];
      return kOther;
    }
    if (long_options_ && word()[1] == '-') return next_long(word() + 2, "--");
    if (long_options_ && only_long_ && (word()[2] != '\0' || !std::strchr(options_, word()[1]))) {
      const int found = next_long(word() + 1, "-");
      if (found != kBegun) return found;
    }
    scan_.rest = word() + 1;
    return kBegun;
  }

  int finish_word() {
    ++position_;
    return next();
  }

  int next_short() {
    const char character = *scan_.rest++;
    const char* const described = character == ':' || character == ';' ? nullptr : std::strchr(options_, character);
    if (*scan_.rest == '\0') ++position_;
    if (!described) {
      if (prints_) std::fprintf(stderr, "%s: invalid option -- '%c'\n", words_[0], character);
      character_ = static_cast<unsigned char>(character);
      return '?';
    }
    if (described[0] == 'W' && described[1] == ';' && long_options_) return next_after_w();
    if (described[1] != ':') return static_cast<unsigned char>(character);
    if (*scan_.rest != '\0') {
      argument_ = const_cast<char*>(scan_.rest);
      ++position_;
    } else if (described[2] != ':') {
      if (position_ == count_) {
        if (prints_) std::fprintf(stderr, "%s: option requires an argument -- '%c'\n", words_[0], character);
        character_ = static_cast<unsigned char>(character);
        scan_.rest = nullptr;
        return colon_ ? ':' : '?';
      }
      argument_ = words_[position_++];
    }
    scan_.rest = nullptr;
    return static_cast<unsigned char>(character);
  }

  // "-W name" stands for "--name".
  int next_after_w() {
    const char* name = scan_.rest;
    if (*name == '\0') {
      if (position_ == count_) {
        if (prints_) std::fprintf(stderr, "%s: option requires an argument -- '%c'\n", words_[0], 'W');
        character_ = 'W';
        return colon_ ? ':' : '?';
      }
      name = word();
    }
    return next_long(name, "-W ");
  }

  const option* find_long(const char* name, std::size_t length, bool& ambiguous) const {
    const option* found = nullptr;
    for (const option* each = long_options_; each->name; ++each) {
      if (std::strncmp(each->name, name, length) != 0) continue;
      if (std::strlen(each->name) == length) {
        ambiguous = false;
        return each;
      }
      if (!found) {
        found = each;
      } else if (only_long_ || found->has_arg != each->has_arg || found->flag != each->flag ||
                 found->val != each->val) {
        ambiguous = true;
      }
    }
    return found;
  }

  int next_long(const char* name, const char* prefix) {
    const std::size_t length = std::strcspn(name, "=");
    bool ambiguous = false;
    const option* const found = find_long(name, length, ambiguous);
    if (ambiguous) {
      if (prints_) std::fprintf(stderr, "%s: option '%s%s' is ambiguous\n", words_[0], prefix, name);
      return end_long(0);
    }
    if (!found) {
      const bool is_short = only_long_ && *prefix == '-' && prefix[1] == '\0' && std::strchr(options_, *name);
      if (is_short) return kBegun;
      if (prints_) std::fprintf(stderr, "%s: unrecognized option '%s%s'\n", words_[0], prefix, name);
      return end_long(0);
    }
    if (name[length] == '=') {
      if (found->has_arg == no_argument) {
        if (prints_) {
          std::fprintf(stderr, "%s: option '%s%s' doesn't allow an argument\n", words_[0], prefix, found->name);
        }
        return end_long(found->val);
      }
      argument_ = const_cast<char*>(name + length + 1);
    }
    ++position_;
    scan_.rest = nullptr;
    if (name[length] != '=' && found->has_arg == required_argument) {
      if (position_ >= count_) {
        if (prints_) {
          std::fprintf(stderr, "%s: option '%s%s' requires an argument\n", words_[0], prefix, found->name);
        }
        character_ = found->val;
        return colon_ ? ':' : '?';
      }
      argument_ = words_[position_++];
    }
    if (index_) *index_ = static_cast<int>(found - long_options_);
    if (!found->flag) return found->val;
    *found->flag = found->val;
    return 0;
  }

  int end_long(int value) {
    scan_.rest = nullptr;
    ++position_;
    character_ = value;
    return '?';
  }

  OptionScan& scan_;
  char*& argument_;
  int &position_, &character_;
  int count_;
  char** words_;
  const char* options_;
  const option* long_options_;
  int* index_;
  bool only_long_, strict_, prints_, in_order_ = false, colon_ = false;
};

int next_option(int count, char* const* words, const char* options) {
  Process* const process = running_process();
  if (!process) return getopt(count, words, options);
  return Scan(*process, count, words, options, nullptr, nullptr, false).next();
}
int next_long_option(int count, char* const* words, const char* options, const option* long_options, int* index) {
  Process* const process = running_process();
  if (!process) return getopt_long(count, words, options, long_options, index);
  return Scan(*process, count, words, options, long_options, index, false).next();
}
int next_only_long_option(int count, char* const* words, const char* options, const option* long_options, int* index) {
  Process* const process = running_process();
  if (!process) return getopt_long_only(count, words, options, long_options, index);
  return Scan(*process, count, words, options, long_options, index, true).next();
}

}  // namespace

std::span<const Replacement> functions_of_options() {
  static const std::array functions = {
      Replacement{"getopt", next_option},
      Replacement{"__posix_getopt", next_option},
      Replacement{"getopt_long", next_long_option},
      Replacement{"getopt_long_only", next_only_long_option},
  };
  return functions;
}

}  // namespace pysmpi
