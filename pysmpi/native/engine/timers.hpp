// Wake-ups at a given time. Those due together come in the order of the instants at which they were set, and of those
// set in one instant the latest first: SimGrid puts each new sleep in front of the others of its instant
// (CpuCas01::sleep), so ranks that all read the clock go on in the opposite order.
#pragma once

#include <cstdint>

#include "base/dated_batches.hpp"
#include "base/waiter.hpp"

namespace pysmpi {

class Timers {
 public:
  // The waiter's pending count is to include this.
  void add(double time, Waiter* waiter) { events_.add(time, instant_ << 32 | (0xffffffff - set_now_++), waiter); }

  // The clock goes on.
  void next_instant() {
    ++instant_;
    set_now_ = 0;
    events_.end_batch();
  }

  double next() const { return events_.next_time(); }
  std::size_t size() const { return events_.size(); }

  // Completes every timer due at `now` (within `precision` seconds); returns how many.
  std::size_t settle(double now, double precision);

 private:
  DatedBatches<Waiter*, WithinBatch::kLastAdded> events_;
  std::uint64_t instant_ = 0, set_now_ = 0;
};

}  // namespace pysmpi
