// Threads that ranks start are additional fibers of the rank. This file implements waiting and waking; Python
// implements the locks (pysmpi/isolation/threads.py).
#include <deque>
#include <utility>
#include <vector>

#include "base/observation.hpp"
#include "base/recorder.hpp"
#include "engine/c_api.h"
#include "engine/computation.hpp"
#include "engine/simulation.hpp"
#include "engine/switching.hpp"

namespace pysmpi {

namespace {

class Alarm;

struct Alarms {
  std::deque<Alarm> all;
  std::vector<Alarm*> unused;
} alarms;

// Ends the wait of a fiber after a time, unless that wait has ended before.
class Alarm final : public Waiter {
 public:
  void set(Fiber& fiber, double time) {
    fiber_ = &fiber;
    wait_ = fiber.waits;
    pending = 1;
    simulation().timers.add(time, this);
  }

  void wake() override {
    alarms.unused.push_back(this);
    if (!fiber_->waits_to_be_woken || fiber_->waits != wait_) return;
    fiber_->waits_to_be_woken = false;
    fiber_->completed_one();
  }

 private:
  Fiber* fiber_ = nullptr;
  std::uint32_t wait_ = 0;
};

Alarm& unused_alarm() {
  if (alarms.unused.empty()) return alarms.all.emplace_back();
  Alarm& alarm = *alarms.unused.back();
  alarms.unused.pop_back();
  return alarm;
}

}  // namespace

void end_thread_waits() {
  alarms.unused.clear();
  alarms.all.clear();
}

}  // namespace pysmpi

using namespace pysmpi;

int32_t pysmpi_thread_begin(void) {
  if (recorder) recorder->cannot_express(simulation().running, "a thread of a rank");
  Simulation& engine = simulation();
  Fiber& fiber = engine.new_thread();
  fiber.rank = engine.running;
  fiber.stopping = running_fiber().stopping;
  ++engine.unended;
  engine.ready.push_back(&fiber);
  if (observers) tell(&Observer::thread_begins, engine.now, fiber);
  return fiber.number;
}

int32_t pysmpi_running_thread(void) { return inside_rank() ? running_fiber().number : -1; }

int32_t pysmpi_thread_wait(double seconds) {
  if (running_fiber().stopping) {
    insist_on_stop();
    return -1;
  }
  Fiber& fiber = running_fiber();
  fiber.is_about_to_wait = true;
  const bool going = account_computation();
  if (!std::exchange(fiber.is_about_to_wait, false)) {  // it was woken meanwhile
    leave_call();
    return going ? 1 : -1;
  }
  if (!going) return -1;
  ++fiber.waits;
  fiber.waits_to_be_woken = true;
  fiber.pending = 1;
  if (seconds >= 0.0) unused_alarm().set(fiber, simulation().now + seconds);
  const bool alive = block({.call = "a wait for another thread", .kind = WaitKind::kThread});
  const bool woken = fiber.was_woken;
  fiber.waits_to_be_woken = fiber.was_woken = false;
  leave_call();
  return alive ? woken : -1;
}

int32_t pysmpi_thread_wake(int32_t number) {
  if (inside_rank() && !running_fiber().stopping) {  // the effects of a computation come after its time
    account_computation();
    leave_call();
  }
  Fiber& fiber = simulation().fiber(number);
  if (fiber.stopping) return 0;
  if (std::exchange(fiber.is_about_to_wait, false)) return 1;
  if (!fiber.waits_to_be_woken) return 0;
  fiber.waits_to_be_woken = false;
  fiber.was_woken = true;
  fiber.completed_one();
  return 1;
}
