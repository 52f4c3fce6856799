// Wakes the waiters of timers that are due.
#include "engine/timers.hpp"

namespace pysmpi {

std::size_t Timers::settle_before(double date) {
  std::size_t settled = 0;
  for (; events_.next_time() < date; ++settled) events_.take()->completed_one();
  return settled;
}

std::size_t Timers::settle(double now, double precision) {
  std::size_t settled = 0;
  for (; events_.next_time() - now < precision; ++settled) events_.take()->completed_one();
  return settled;
}

}  // namespace pysmpi
