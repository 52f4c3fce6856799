// Recursive halving of a vector among a power of two of ranks, and its reversal: what Rabenseifner's reductions are
// made of (Rabenseifner 2004).
#pragma once

#include "collectives/line.hpp"

namespace pysmpi {

// The ranks of a line that take part when only a power of two can: of each pair among the first 2·extra one stands for
// both. They have numbers of their own.
struct PowerOfTwo {
  Line line;
  int standing;  // 0: the even ones stand for both, 1: the odd ones
  int power = 1, levels = 0, extra = 0;
  PowerOfTwo(Line line, int standing) : line(line), standing(standing) {
    for (; power <= line.size / 2; power *= 2) ++levels;
    extra = line.size - power;
  }
  // -1: another one stands for it.
  int number_of(int index) const {
    if (index >= 2 * extra) return index - extra;
    return index % 2 == standing ? index / 2 : -1;
  }
  int number() const { return number_of(line.index); }
  int rank_of(int number) const { return line.rank_of(number < extra ? 2 * number + standing : number + extra); }
  bool in_pair() const { return line.index < 2 * extra; }
  int neighbour() const { return line.rank_of(line.index ^ 1); }
};

enum class Cut : std::uint8_t {
  kParts,   // as many equal parts as there are ranks, the last one with what is left over (MPICH)
  kHalves,  // in the middle, and again (Rabenseifner 1997, Open MPI)
};

struct Range {
  std::int64_t begin = 0, end = 0;
  std::int64_t length() const { return end - begin; }
};

// The part of a vector that the rank of this number has to do with after each halving. At level l, from 1 on, its
// partner's number differs in bit l - 1.
class Halves {
 public:
  Halves(std::int64_t count, const PowerOfTwo& among, int number, Cut cut);
  Range own(int level) const { return ranges_[level]; }
  Range partners(int level) const {  // the rest of what was the rank's before
    const Range before = ranges_[level - 1], now = ranges_[level];
    return now.begin == before.begin ? Range{now.end, before.end} : Range{before.begin, now.begin};
  }

 private:
  Range ranges_[32];
};

// `result`: the rank's vector, `other`: room for one. Operations that commute. Every rank gets its range reduced, as
// far as it lies within the call's count: what follows only travels.
Schedule reduce_halves(Runner& run, Arguments a, PowerOfTwo among, Halves halves, char* result, char* other);

// Every rank gets the whole from the ranges of all.
Schedule gather_halves(Runner& run, Arguments a, PowerOfTwo among, Halves halves, char* result);

// The pairs reduce each a half of the vector, and the one that stands for both gets the other half, too.
Schedule reduce_in_pairs(Runner& run, Arguments a, PowerOfTwo among, char* result, char* other);

}  // namespace pysmpi
