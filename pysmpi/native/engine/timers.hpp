// Wake-ups at a given time. Those due together come in the order of the instants at which they were set, and of those
// set in one instant the latest first: SimGrid puts each new sleep in front of the others of its instant
// (CpuCas01::sleep), so ranks that all read the clock go on in the opposite order.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "base/types.hpp"
#include "base/waiter.hpp"

namespace pysmpi {

class Timers {
 public:
  // The waiter's pending count is to include this.
  void add(double time, Waiter* waiter) { heap_.push({time, instant_ << 32 | (0xffffffff - set_now_++), waiter}); }

  // The clock goes on.
  void next_instant() {
    ++instant_;
    set_now_ = 0;
  }

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
  std::uint64_t instant_ = 0, set_now_ = 0;
};

}  // namespace pysmpi
