#include "engine/timers.hpp"

namespace pysmpi {

std::size_t Timers::settle(double now, double precision) {
  std::size_t settled = 0;
  while (!heap_.empty() && heap_.top().time - now < precision) {
    Waiter* waiter = heap_.top().waiter;
    heap_.pop();
    waiter->completed_one();
    ++settled;
  }
  return settled;
}

}  // namespace pysmpi
