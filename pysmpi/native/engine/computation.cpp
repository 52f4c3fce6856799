#include "engine/computation.hpp"

#include <ctime>

#include "base/options.hpp"
#include "engine/busy_waiting.hpp"
#include "engine/simulation.hpp"

namespace pysmpi {

namespace {

constexpr double kMostBetweenLooks = 1e-2;  // seconds that a rank which waits busily computes between two calls

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
  bool works = flops > 0.0;  // rather than that it waits busily
  if (o.simulate_computation && fiber.left_at >= 0.0) {
    const double seconds = clock_now() - fiber.left_at;
    fiber.left_at = -1.0;
    works = works || seconds > kMostBetweenLooks;
    if (seconds >= o.cpu_threshold) flops += seconds * (o.host_speed > 0.0 ? o.host_speed : core_speed());
  }
  if (flops <= 0.0) return true;
  const std::uint64_t busy_calls = works ? 0 : fiber.busy_calls;
  const bool going = execute_flops(flops, "computation");
  fiber.busy_calls = busy_calls;
  return going;
}

double read_clock() {
  const double time = simulation().now;
  wait_busily(options().wtime_cost, "MPI_Wtime", Patience::kOfClocks);
  return time;
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
