// Measured intervals that a run takes from an earlier run of the same program. The two runs then differ only by the
// simulated machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/types.hpp"
#include "engine/interval_record.hpp"

namespace pysmpi {

// The n-th interval of a thread at a place takes the seconds of its n-th recorded interval at this place. A place is a
// hash of the MPI calls before and after an interval, with their lines in the program (engine/likes.hpp).
//
// Example: a rank waits in a loop of MPI_Test, then computes. In the record it tested three times in the first step.
// Now a faster network lets it test twice. The recorded third test is left over, and the computation still takes its
// own recorded time, because tests and the computation are different places. If the rank tests four times, the last
// test takes as long as the one before.
//
// The calls do not show what a rank received. Therefore the sources, tags and lengths of its messages are compared with
// the record, too. Once one differs, or a call comes that the record does not have, the ranks may do other work than in
// the record. From then on, an interval takes recorded seconds only if the measured ones are like them.
class ReusedIntervals {
 public:
  struct Interval {
    std::int32_t thread;
    std::uint32_t place;
    const char* to;  // MPI function after the interval, or null
    double seconds;  // measured in this run
    bool was_interrupted;
  };
  struct Counts {
    std::uint64_t reused = 0;    // intervals with recorded seconds
    std::uint64_t repeated = 0;  // further intervals that take the seconds of the last recorded one at their place
    std::uint64_t measured = 0;  // intervals that count as measured: no recorded seconds, or too different ones
    std::uint64_t left_over = 0;
    double longest = 0.0;  // largest sum of one thread's measured and repeated intervals, in seconds
    bool diverged = false;
  };

  // Read a file that IntervalRecord has written. Rank 0 of this run is rank `first` there. Returns null if the file
  // cannot be read, or has another format.
  static std::unique_ptr<ReusedIntervals> read(const std::string& path, RankId first);
  ~ReusedIntervals();
  ReusedIntervals(const ReusedIntervals&) = delete;
  ReusedIntervals& operator=(const ReusedIntervals&) = delete;

  double take(const Interval& interval);  // returns the seconds that the interval counts
  void compare_message(std::int32_t thread, std::uint32_t hash);
  void diverge() { counts_.diverged = true; }
  Counts counts() const;

 private:
  template <class Entry>
  struct Entries {
    const Entry* next;
    const Entry* end;
  };

  ReusedIntervals(void* memory, std::size_t length);
  bool index(RankId first);
  double measure_again(const Interval& interval);
  double repeat(const Interval& interval, double seconds);

  void* const memory_;  // the file, mapped into memory
  const std::size_t length_;
  // Hash maps suffice: entries are only looked up by key. counts() alone iterates, over sums and maxima that do not
  // depend on the order.
  std::unordered_map<std::uint64_t, Entries<float>> intervals_;
  std::unordered_map<std::int32_t, Entries<std::uint32_t>> messages_;
  std::unordered_map<std::int32_t, double> unmatched_;  // by thread: seconds of measured and repeated intervals
  Counts counts_;
};

}  // namespace pysmpi
