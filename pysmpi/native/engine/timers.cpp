// Wakes the waiters of timers that are due.
#include "engine/timers.hpp"

namespace pysmpi {

std::size_t Timers::settle_before(double date) {
  while (events_.next_time() < date) due_.push_back(events_.take());
  return complete_due();
}

std::size_t Timers::settle(double now, double precision) {
  while (events_.next_time() - now < precision) due_.push_back(events_.take());
  return complete_due();
}

std::size_t Timers::complete_due() {
  constexpr std::size_t kAhead = 8;
  for (std::size_t i = 0; i < due_.size(); ++i) {
    if (i + kAhead < due_.size()) __builtin_prefetch(due_[i + kAhead]);
    due_[i]->completed_one();
  }
  const std::size_t completed = due_.size();
  due_.clear();
  return completed;
}

}  // namespace pysmpi
