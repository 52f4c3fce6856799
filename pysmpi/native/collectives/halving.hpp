// Recursive halving of a vector among a power-of-two number of ranks, and its reversal. Rabenseifner's reductions
// consist of these two phases (Rabenseifner 2004).
//
// Example: allreduce of 8 elements on 5 ranks. The power of two is 4, so extra = 1: ranks 0 and 1 form a pair. One of
// them represents it: rank 0 if PowerOfTwo::standing is 0, as in this example. The participants are then ranks 0, 2, 3,
// 4, numbered 0, 1, 2, 3.
//
//   pairs     ranks 0 and 1 reduce one half each; rank 0 then has the whole reduced vector of the pair
//   level 1   numbers 0-1 and 2-3 exchange halves: 0 and 2 keep elements 0-3, 1 and 3 keep elements 4-7
//   level 2   numbers 0-2 and 1-3 exchange quarters: 0 keeps 0-1, 1 keeps 4-5, 2 keeps 2-3, 3 keeps 6-7
//   then      gather_halves undoes levels 2 and 1 without reducing; rank 0 sends the result to rank 1
#pragma once

#include "collectives/line.hpp"

namespace pysmpi {

// The ranks of a line (collectives/line.hpp) that take part if the algorithm needs a power of two. Each of the first
// `extra` pairs of neighbours (ranks 0 and 1, 2 and 3, ...) is represented by one of its two ranks. Participants are
// numbered from 0.
struct PowerOfTwo {
  Line line;
  int standing;  // 0: the even rank represents its pair, 1: the odd rank
  int power = 1, levels = 0, extra = 0;
  PowerOfTwo(Line line, int standing) : line(line), standing(standing) {
    for (; power <= line.size / 2; power *= 2) ++levels;
    extra = line.size - power;
  }
  // Returns the number of the participant at this position of the line, or -1 if its neighbour represents it.
  int number_of(int index) const {
    if (index >= 2 * extra) return index - extra;
    return index % 2 == standing ? index / 2 : -1;
  }
  int number() const { return number_of(line.index); }
  int rank_of(int number) const { return line.rank_of(number < extra ? 2 * number + standing : number + extra); }
  bool in_pair() const { return line.index < 2 * extra; }
  int neighbour() const { return line.rank_of(line.index ^ 1); }
};

// Returns whether the vector has fewer elements than ranks take part.
inline bool too_short(const Runner& run, const Arguments& args) {
  return args.receive_count < PowerOfTwo(Line(run), 0).power;
}

enum class Cut : std::uint8_t {
  kParts,      // `power` equal parts; the last part gets the remainder (MPICH before 4.1, and in nonblocking calls)
  kEvenParts,  // `power` parts, of which the first ones have an element more (MPICH from 4.1 on)
  kHalves,     // repeatedly in the middle (Rabenseifner 1997, Open MPI)
};

struct Range {
  std::int64_t begin = 0, end = 0;
  std::int64_t length() const { return end - begin; }
};

// The range of the vector for which a participant is responsible after each halving. At level l (from 1), its partner's
// number differs in bit l - 1.
class Halves {
 public:
  Halves(std::int64_t count, const PowerOfTwo& among, int number, Cut cut);
  Range own(int level) const { return ranges_[level]; }
  Range partners(int level) const {  // the other half of own(level - 1)
    const Range before = ranges_[level - 1], now = ranges_[level];
    return now.begin == before.begin ? Range{now.end, before.end} : Range{before.begin, now.begin};
  }

 private:
  Range ranges_[32];
};

// Reduces the vector by recursive halving; afterwards each participant has its own range reduced. The operation must
// commute. `result` holds the rank's vector, `other` is scratch memory of the same length. The vector may be longer
// than args.receive_count; the elements beyond are padding, which is transferred but not reduced.
Schedule reduce_halves(Runner& run, Arguments args, PowerOfTwo among, Halves halves, char* result, char* other);

// Distributes the reduced ranges by recursive doubling, so that every participant has the whole vector.
Schedule gather_halves(Runner& run, Arguments args, PowerOfTwo among, Halves halves, char* result);

// Combines each pair: both ranks reduce one half of the vector, then the representative receives the other half.
Schedule reduce_in_pairs(Runner& run, Arguments args, PowerOfTwo among, char* result, char* other);

}  // namespace pysmpi
