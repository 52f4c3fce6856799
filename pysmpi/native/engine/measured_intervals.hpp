// Measured intervals of computation: their totals, and the seconds that an interval counts in which another program
// took the processor away.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace pysmpi {

// If another program takes the processor away from a rank, the caches hold other data afterwards. Refilling them takes
// 30 to 250 µs of the rank's processor time, many times the length of a short interval. If ranks wait for each other,
// all of them wait for the one that was interrupted last. Therefore a short interrupted interval counts at most as long
// as the mean of the uninterrupted intervals between the same two MPI functions. An interval was interrupted if it
// lasted longer on the wall clock than on the processor clock.
class MeasuredIntervals {
 public:
  struct Interval {
    const char* from;  // string literals: the MPI functions before and after the interval, or null
    const char* to;
    double seconds;  // on the clock that measures computation
    double wall;     // seconds on the wall clock
  };

  // Add an interval to the totals. Returns the seconds by which the simulated computation grows: fewer than measured if
  // the interval is short and was interrupted.
  double add(const Interval& interval);

  double seconds() const { return seconds_; }
  double wall() const { return wall_; }
  std::uint64_t count() const { return count_; }
  std::uint64_t interrupted() const { return interrupted_; }

 private:
  struct Place {
    const char* from;
    const char* to;
    bool operator==(const Place&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Place& place) const {
      return reinterpret_cast<std::uintptr_t>(place.from) * 31 + reinterpret_cast<std::uintptr_t>(place.to);
    }
  };
  struct Uninterrupted {
    std::uint64_t count = 0;
    double seconds = 0.0;
  };

  std::unordered_map<Place, Uninterrupted, Hash> places_;  // looked up, never iterated
  double seconds_ = 0.0, wall_ = 0.0;
  std::uint64_t count_ = 0, interrupted_ = 0;
};

}  // namespace pysmpi
