// Timers. Timers due at the same time fire in the order of the instants in which they were set. Of the timers set in
// one instant, the latest fires first. SimGrid inserts each sleep before the others of its instant (CpuCas01::sleep),
// so ranks that read the clock one after the other continue in reverse order.
#pragma once

#include <cstdint>
#include <vector>

#include "base/dated_batches.hpp"
#include "base/waiter.hpp"

namespace pysmpi {

class Timers {
 public:
  // Set a timer. When it is due, one completion of the waiter is counted, so the caller must have included the timer in
  // Waiter::pending.
  void add(double time, Waiter* waiter) { events_.add(time, instant_ << 32 | (0xffffffff - set_now_++), waiter); }

  // Record that the clock has advanced. Timers set from now on fire after earlier ones that are due at the same time.
  void next_instant() {
    ++instant_;
    set_now_ = 0;
    events_.end_batch();
  }

  double next() const { return events_.next_time(); }
  std::size_t size() const { return events_.size(); }

  // Complete every timer that is due before a date. Returns their number.
  std::size_t settle_before(double date);

  // Complete every timer due at `now` (within `precision` seconds). Returns their number.
  std::size_t settle(double now, double precision);

 private:
  std::size_t complete_due();

  DatedBatches<Waiter*, WithinBatch::kLastAdded> events_;
  std::vector<Waiter*> due_;  // a member only to reuse its memory
  std::uint64_t instant_ = 0, set_now_ = 0;
};

}  // namespace pysmpi
