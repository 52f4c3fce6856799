// Wake-ups at a given time, in the order (time, sequence).
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "engine/types.hpp"
#include "engine/waiter.hpp"

namespace pysmpi {

class Timers {
 public:
  // The waiter's pending count is to include this.
  void add(double time, Waiter* waiter) { heap_.push({time, next_sequence_++, waiter}); }
  double next() const { return heap_.empty() ? kNever : heap_.top().time; }
  std::size_t size() const { return heap_.size(); }

  // Completes every timer due at `now` (within `precision` seconds); returns how many.
  std::size_t settle(double now, double precision);

 private:
  struct Timer {
    double time;
    std::uint64_t sequence;
    Waiter* waiter;
    bool operator<(const Timer& other) const {  // std::priority_queue keeps the greatest on top
      return time > other.time || (time == other.time && sequence > other.sequence);
    }
  };
  std::priority_queue<Timer> heap_;
  std::uint64_t next_sequence_ = 0;
};

}  // namespace pysmpi
