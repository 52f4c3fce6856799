// Threads that ranks start are additional fibers of the rank. This file implements how such threads wait and are woken.
// Python code uses it for locks (pysmpi/simulation/isolation/threads.py), and for MPI functions that wait for other
// ranks without exchanging messages.
#include "engine/threads.hpp"

#include <utility>

#include "base/observer.hpp"
#include "engine/busy_waiting.hpp"
#include "engine/c_api.h"
#include "engine/computation.hpp"
#include "engine/simulation.hpp"
#include "engine/switching.hpp"

namespace pysmpi {

void Alarms::Alarm::set(Alarms& alarms, Fiber& fiber) {
  alarms_ = &alarms;
  fiber_ = &fiber;
  wait_ = fiber.waits;
  pending = 1;
}

void Alarms::Alarm::wake() {
  alarms_->unused_.push_back(this);
  if (!fiber_->waits_to_be_woken || fiber_->waits != wait_) return;
  fiber_->waits_to_be_woken = false;
  fiber_->completed_one();
}

void Alarms::set(Fiber& fiber, double time) {
  if (unused_.empty()) unused_.push_back(&all_.emplace_back());
  Alarm& alarm = *unused_.back();
  unused_.pop_back();
  alarm.set(*this, fiber);
  simulation().timers.add(time, &alarm);
}

WaitEnd wait_to_be_woken(double seconds, const char* call) {
  Fiber& fiber = running_fiber();
  if (fiber.stopping) {
    insist_on_stop();
    return WaitEnd::kStopped;
  }
  fiber.is_about_to_wait = true;
  const bool going = account_computation();
  if (!std::exchange(fiber.is_about_to_wait, false)) {  // the fiber was woken in the meantime
    leave_call();
    return going ? WaitEnd::kWoken : WaitEnd::kStopped;
  }
  if (!going) return WaitEnd::kStopped;
  const Outside outside(fiber);
  ++fiber.waits;
  fiber.waits_to_be_woken = true;
  fiber.pending = 1;
  if (seconds >= 0.0) simulation().alarms.set(fiber, simulation().now + seconds);
  const bool alive = block({.call = call, .kind = WaitKind::kThread});
  const bool woken = fiber.was_woken;
  fiber.waits_to_be_woken = fiber.was_woken = false;
  leave_call();
  if (!alive) return WaitEnd::kStopped;
  return woken ? WaitEnd::kWoken : WaitEnd::kTimeout;
}

bool wake(Fiber& fiber) {
  if (fiber.stopping) return false;
  if (std::exchange(fiber.is_about_to_wait, false)) return true;
  if (!fiber.waits_to_be_woken) return false;
  fiber.waits_to_be_woken = false;
  fiber.was_woken = true;
  fiber.completed_one();
  return true;
}

}  // namespace pysmpi

using namespace pysmpi;

int32_t pysmpi_thread_begin(void) {
  Simulation& engine = simulation();
  Fiber& fiber = engine.new_thread();
  fiber.rank = engine.running;
  fiber.stopping = running_fiber().stopping;
  ++engine.unended;
  engine.ready.push_back(&fiber);
  if (observers) notify(&Observer::thread_begins, engine.now, fiber);
  return fiber.number;
}

int32_t pysmpi_running_thread(void) { return inside_rank() ? running_fiber().number : -1; }

int32_t pysmpi_thread_wait(double seconds) {
  return static_cast<int32_t>(wait_to_be_woken(seconds, "a wait for another thread")) - 1;
}

int32_t pysmpi_thread_wake(int32_t number) {
  if (inside_rank() && !running_fiber().stopping) {  // the effects of a computation come after its time
    account_computation();
    leave_call();
  }
  return wake(simulation().fiber(number)) ? 1 : 0;
}

int32_t pysmpi_give_way(void) {
  bool going = account_computation();
  const Outside outside(running_fiber());
  going = going && wait_busily(0.0, "a loop over a lock", Patience::kOfLooks);
  leave_call();
  return going ? 0 : -1;
}

uint64_t pysmpi_switch_count(void) { return simulation().counters.switches; }

int32_t pysmpi_block(int32_t communicator) {
  Fiber& fiber = running_fiber();
  if (!fiber.stopping) fiber.pending = 1;
  const BlockedOn on{.call = fiber.outer_call, .kind = WaitKind::kCollective, .communicator = communicator, .peer = -1};
  return block(on) ? 0 : -1;
}

void pysmpi_unblock(int32_t number) {
  Fiber& fiber = simulation().fiber(number);
  if (!fiber.stopping && fiber.pending > 0) fiber.completed_one();
}
