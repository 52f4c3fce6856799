#include "engine/computation.hpp"

#include <ctime>

#include "base/options.hpp"
#include "engine/simulation.hpp"

namespace pysmpi {

namespace {

double clock_now() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

bool sleep_for(double seconds, const char* call) {
  Simulation& engine = simulation();
  Fiber& fiber = running_fiber();
  if (fiber.in_task) return true;
  if (!fiber.stopping && seconds > 0.0) {
    ++fiber.pending;
    engine.timers.add(engine.now + seconds, &fiber);
  }
  return block({.call = call, .kind = WaitKind::kTime});
}

bool execute_flops(double flops, const char* call) {
  Simulation& engine = simulation();
  Fiber& fiber = running_fiber();
  if (fiber.in_task) return true;
  if (!fiber.stopping && flops > 0.0) {
    ++fiber.pending;
    engine.processors.execute(engine.now, engine.host_of(fiber.rank), flops, &fiber);
  }
  return block({.call = call, .kind = WaitKind::kTime});
}

double core_speed() {
  const Simulation& engine = simulation();
  return engine.processors.speed(engine.host_of(engine.running));
}

bool account_computation() {
  const Options& o = options();
  Fiber& fiber = running_fiber();
  double flops = fiber.owed;
  fiber.owed = 0.0;
  if (o.simulate_computation && fiber.left_at >= 0.0) {
    const double seconds = clock_now() - fiber.left_at;
    fiber.left_at = -1.0;
    if (seconds >= o.cpu_threshold) flops += seconds * (o.host_speed > 0.0 ? o.host_speed : core_speed());
  }
  return flops > 0.0 ? execute_flops(flops, "computation") : true;
}

void leave_call() {
  if (!options().simulate_computation) return;
  Fiber& fiber = running_fiber();
  if (fiber.measured) fiber.left_at = clock_now();
}

void begin_computation() {
  if (running_fiber().left_at < 0.0) leave_call();
}

}  // namespace pysmpi
