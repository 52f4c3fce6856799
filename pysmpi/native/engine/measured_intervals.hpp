// Measured intervals of computation: their totals, and the seconds that each of them counts.
#pragma once

#include <cstdint>
#include <memory>

namespace pysmpi {

class IntervalRecord;
class Likes;
class ReusedIntervals;

// If another program takes the processor away from a rank, the caches hold other data afterwards. Refilling them takes
// 30 to 500 µs of the rank's processor time. If ranks wait for each other, all of them wait for the one that was
// interrupted last. Therefore an interrupted interval counts at most as long as uninterrupted ones like it
// (engine/likes.hpp). It counts as measured if none are known, if they do not agree, or if it is so much longer that
// the interruption does not explain it.
//
// A run may also record its intervals for other runs, or reuse recorded ones.
class MeasuredIntervals {
 public:
  struct Interval {
    std::int32_t thread;   // number of the fiber
    std::uint32_t place;   // hash of the calls before and after the interval, and of their lines in the program
    const char* to;        // MPI function after the interval, or null
    double seconds;        // seconds on the clock that measures computation
    double wall;           // seconds on the wall clock
    bool was_interrupted;  // by another program, during the interval or just before it (engine/interruptions.hpp)
  };

  MeasuredIntervals();
  ~MeasuredIntervals();

  // Add an interval to the totals. Returns the seconds by which the simulated computation grows.
  double add(const Interval& interval);

  // Return the seconds that a sampled block or loop takes: `seconds`, or recorded ones if the run reuses intervals.
  double add_sample(std::int32_t thread, std::uint32_t place, double seconds);

  // Note that the running rank has received a message, or reads a value that depends on the order of other ranks.
  void received(std::int32_t source, std::int32_t tag, std::int64_t bytes) {
    if (is_shared_) [[unlikely]]
      note_message(source, tag, bytes);
  }
  void reads_shared_value();

  // Return whether this object uses Interval::place; if not, callers need not compute it.
  bool uses_places() const;

  void record();
  // Read recorded intervals, and reuse them. Rank 0 of this run takes those of the recorded rank `first`, and so on.
  // Returns false if the file cannot be read or is not valid.
  bool reuse(const char* path, std::int32_t first);
  const IntervalRecord* recorded() const { return record_.get(); }
  const ReusedIntervals* reused() const { return reused_.get(); }

  double seconds() const { return seconds_; }
  double wall() const { return wall_; }
  std::uint64_t count() const { return count_; }
  std::uint64_t interrupted() const { return interrupted_; }
  std::uint64_t shortened() const { return shortened_; }
  std::uint64_t kept() const { return kept_; }
  double saved() const { return saved_; }

 private:
  double without_interruption(const Interval& interval);
  void note_message(std::int32_t source, std::int32_t tag, std::int64_t bytes);

  std::unique_ptr<Likes> likes_;
  std::unique_ptr<IntervalRecord> record_;
  std::unique_ptr<ReusedIntervals> reused_;
  bool is_shared_ = false;  // record_ or reused_ exists
  double seconds_ = 0.0, wall_ = 0.0;
  std::uint64_t count_ = 0, interrupted_ = 0;
  std::uint64_t shortened_ = 0;  // interrupted intervals that took the time of uninterrupted ones like them
  std::uint64_t kept_ = 0;       // interrupted intervals that counted as measured, because none like them were known
  double saved_ = 0.0;           // seconds by which interrupted intervals were shortened
};

}  // namespace pysmpi
