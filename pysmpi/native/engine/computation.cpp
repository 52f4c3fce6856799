// Measurement and simulation of the time that ranks compute and sleep.
#include "engine/computation.hpp"

#include <algorithm>
#include <ctime>
#include <utility>

#include "base/observer.hpp"
#include "base/options.hpp"
#include "engine/busy_waiting.hpp"
#include "engine/call_site.hpp"
#include "engine/deferred_actions.hpp"
#include "engine/detours.hpp"
#include "engine/interruptions.hpp"
#include "engine/simulation.hpp"
#include "platform/platform.hpp"

namespace pysmpi {

namespace {

// A rank counts as busy-waiting only if it computes at most this time (seconds) between two calls.
constexpr double kMostBetweenLooks = 1e-2;

double read(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The clock of this machine that measures computation: wall time, or processor time of this thread, which runs all
// ranks. Processor time does not include other threads that work for a rank, and reading it needs a system call.
clockid_t clock_in_use() { return options().processor_clock ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC; }
double clock_now() { return read(clock_in_use()); }

// Return the shortest interval between two consecutive readings of the clock.
double least_interval(clockid_t clock) {
  double least = 1.0;
  for (int i = 0; i < 64; ++i) {
    const double begun = read(clock);
    least = std::min(least, read(clock) - begun);
  }
  return least;
}

double cost_of_wall_clock() {
  static const double cost = least_interval(CLOCK_MONOTONIC);
  return cost;
}

// Return the seconds since `begun`, without the cost of reading the clock. Reading the thread's clock takes as long as
// a short piece of Python code, so this cost must not count.
double seconds_since(double begun) {
  static const double of_thread = least_interval(CLOCK_THREAD_CPUTIME_ID);
  return std::max(0.0, clock_now() - begun - (options().processor_clock ? of_thread : cost_of_wall_clock()));
}

// Time that has passed on two clocks of this machine since the fiber's last MPI call, in seconds.
struct Elapsed {
  double measured;  // seconds on the clock that measures computation
  double wall;
};

// Return the time since the fiber's last MPI call on both clocks. Reading the thread's clock needs a system call, which
// takes as long as a short interval. Therefore it is not read if little wall time has passed: the thread then had the
// processor all the time, and both clocks agree.
Elapsed since_last_call(const Fiber& fiber, const char* call) {
  if (const auto clock = simulation().invented_clock) [[unlikely]] {
    Elapsed invented{};
    clock(fiber.number, call ? call : "", &invented.measured, &invented.wall);
    return invented;
  }
  constexpr double kUndivided = 3e-5;
  const double wall = std::max(0.0, read(CLOCK_MONOTONIC) - fiber.left_at_wall - cost_of_wall_clock());
  if (options().processor_clock && wall <= kUndivided) return {wall, wall};
  return {std::min(wall, seconds_since(fiber.left_at)), wall};
}

// Return the speed of this machine in flop/s. Measured seconds are multiplied by it to get flops, which then run at the
// speed of the simulated host.
double speed_here() {
  const double speed = options().host_speed;
  return speed > 0.0 ? speed : core_speed();
}

}  // namespace

namespace {

void begin_sleep(Fiber& fiber, double seconds, Spent spent) {
  Simulation& engine = simulation();
  if (fiber.stopping || seconds <= 0.0) return;
  if (spent == Spent::kWorkingOnData) engine.time_spent.on_data += seconds;
  ++fiber.pending;
  deferred_actions().sleep(engine.call_order(), fiber.rank, engine.now + seconds, &fiber);
}

}  // namespace

bool sleep_for(double seconds, const char* call, Spent spent) {
  Fiber& fiber = running_fiber();
  if (fiber.in_task) return true;
  begin_sleep(fiber, seconds, spent);
  return block({.call = call, .kind = WaitKind::kTime, .spent = spent});
}

Blocked sleeping(double seconds, const char* call, Spent spent) {
  Fiber& fiber = running_fiber();
  if (fiber.in_task) return Blocked::not_at_all();
  begin_sleep(fiber, seconds, spent);
  return Blocked({.call = call, .kind = WaitKind::kTime, .spent = spent});
}

bool sleep_in_test(PollCounter counter, const char* call) {
  Fiber& fiber = running_fiber();
  if (fiber.in_task) return true;
  if (!fiber.stopping) {
    ++fiber.pending;
    deferred_actions().test(simulation().call_order(), fiber.rank, lengthening_of_poll(options().test_cost), counter,
                            &fiber);
  }
  return block({.call = call, .kind = WaitKind::kTime, .spent = Spent::kPolling});
}

bool execute_flops(double flops, const char* call) {
  Simulation& engine = simulation();
  Fiber& fiber = running_fiber();
  if (fiber.in_task) return true;
  if (!fiber.stopping && flops > 0.0) {
    ++fiber.pending;
    deferred_actions().compute(engine.call_order(), fiber.rank, flops, &fiber);
  }
  return block({.call = call, .kind = WaitKind::kTime, .spent = Spent::kComputing});
}

namespace {

// Let the running rank move the bytes through its host's memory that owe_bytes has added since the last call. Blocks
// until they have been moved. Returns false if the rank is being stopped.
bool move_through_memory() {
  Simulation& engine = simulation();
  Fiber& fiber = running_fiber();
  const double bytes = std::exchange(fiber.owed_bytes, 0.0);
  BySource owed = std::exchange(fiber.owed_bytes_seconds, {});
  const double seconds = owed.total();
  const BySource shares = owed;
  for (double& amount : owed.amounts) amount *= core_speed();
  if (fiber.in_task) {
    if (observers) notify(&Observer::computation_skipped, fiber, owed);
    return true;
  }
  const double begun = engine.now;
  if (observers) notify(&Observer::computation_begins, begun, fiber, owed);
  if (!fiber.stopping) {
    const HostId host = engine.host_of(fiber.rank);
    const double alone = seconds / current_platform()->scaling().speeds.of(host);
    EnergyMeter* const energy = engine.processors.energy;
    ++fiber.pending;
    if (engine.carrier->shares_memory(host)) {
      engine.memory_traffic.start(begun, engine.call_order(), {host, fiber.rank, bytes, alone, &fiber}, *engine.carrier,
                                  energy);
    } else {
      engine.memories->move(begun, host, {bytes, bytes / alone, fiber.rank, &fiber}, energy);
    }
  }
  const bool going = block({.call = "computation", .kind = WaitKind::kTime, .spent = Spent::kComputing});
  if (observers) notify(&Observer::computation_ends, engine.now, fiber);
  for (std::size_t i = 0; i < kTimeSources; ++i) {
    engine.time_spent.computed.amounts[i] += (engine.now - begun) * (shares.amounts[i] / seconds);
  }
  return going;
}

}  // namespace

double core_speed() {
  const Simulation& engine = simulation();
  return engine.processors.speed(engine.host_of(engine.running));
}

bool account_computation(const char* call) {
  Simulation& engine = simulation();
  Fiber& fiber = running_fiber();
  if (fiber.sampling != Sampling::kNot) fiber.sampling = Sampling::kDisturbed;
  bool works = fiber.owed.total() > 0.0;  // the rank does real work and does not just wait busily
  if (options().simulate_computation && fiber.left_at >= 0.0) {
    const Elapsed elapsed = since_last_call(fiber, call);
    MeasuredIntervals& intervals = engine.measured_intervals;
    const std::uint32_t next_call = intervals.uses_places() ? hash_of_call(call) : 0;
    const std::uint32_t place = std::exchange(fiber.last_call, next_call) * 31 + next_call;
    const bool was_interrupted = Interruptions::current().interval_ends(elapsed.wall, elapsed.measured);
    const double seconds = intervals.add({fiber.number, place, call, elapsed.measured, elapsed.wall, was_interrupted});
    fiber.left_at = -1.0;
    works = works || seconds > kMostBetweenLooks;
    owe_measured_seconds(TimeSource::kMeasured, seconds);
  }
  const Outside outside(fiber);
  if (fiber.owed_bytes > 0.0 && !move_through_memory()) return false;
  const double flops = fiber.owed.total();
  if (flops <= 0.0) return true;
  const BySource owed = std::exchange(fiber.owed, {});
  const std::uint64_t busy_calls = works ? 0 : fiber.busy_calls;
  const double begun = engine.now;
  if (observers) notify(&Observer::computation_begins, begun, fiber, owed);
  Detours& detours = Detours::current();
  const double lost = detours.any() ? detours.during(fiber.rank, flops / core_speed()) * core_speed() : 0.0;
  const bool going = execute_flops(flops + lost, "computation");
  if (observers) notify(&Observer::computation_ends, engine.now, fiber);
  const double taken = engine.now - begun;
  for (std::size_t i = 0; i < kTimeSources; ++i) {
    engine.time_spent.computed.amounts[i] += taken * (owed.amounts[i] / flops);
  }
  fiber.busy_calls = busy_calls;
  return going;
}

void owe_flops(TimeSource source, double flops) {
  Fiber& fiber = running_fiber();
  if (fiber.sampling == Sampling::kNot) {
    fiber.owed[source] += flops;
  } else {
    fiber.sampled_since -= flops / speed_here();
  }
}

void owe_bytes(TimeSource source, double bytes, double seconds) {
  const Simulation& engine = simulation();
  Fiber& fiber = running_fiber();
  const bool shares = engine.memories || engine.carrier->shares_memory(engine.host_of(fiber.rank));
  if (shares && bytes > 0.0 && seconds > 0.0 && fiber.sampling == Sampling::kNot) {
    fiber.owed_bytes += bytes;
    fiber.owed_bytes_seconds[source] += seconds;
  } else {
    owe_flops(source, seconds * core_speed());
  }
}

void owe_measured_seconds(TimeSource source, double seconds) {
  if (seconds >= options().cpu_threshold) {
    owe_flops(source, seconds * speed_here());
  } else {
    simulation().time_spent.ignored += seconds;
  }
}

bool begin_sampled_block() {
  Fiber& fiber = running_fiber();
  if (fiber.sampling == Sampling::kNot && !account_computation()) return false;
  fiber.left_at = -1.0;
  fiber.sampling = Sampling::kUnderWay;
  fiber.sampled_since = clock_now();
  return true;
}

double end_sampled_block() {
  const Fiber& fiber = running_fiber();
  return fiber.sampling == Sampling::kUnderWay ? seconds_since(fiber.sampled_since) : -1.0;
}

void end_sampling(double seconds) {
  Simulation& engine = simulation();
  Fiber& fiber = running_fiber();
  fiber.sampling = Sampling::kNot;
  leave_call();
  MeasuredIntervals& intervals = engine.measured_intervals;
  const std::uint32_t place = intervals.uses_places() ? hash_of_call("sample") : 0;
  owe_measured_seconds(TimeSource::kSampled, intervals.add_sample(fiber.number, place, seconds));
}

bool is_sampled() { return running_fiber().sampling != Sampling::kNot; }

double begin_exclusion() {
  const Fiber& fiber = running_fiber();
  return fiber.left_at >= 0.0 || is_sampled() ? clock_now() : -1.0;
}

void end_exclusion(double begun) {
  if (begun < 0.0) return;
  Fiber& fiber = running_fiber();
  const double now = clock_now();
  // `since` is the time at which the present measurement began. If it is later than `begun`, the rank has called MPI
  // during the exclusion; everything before `now` is then left out.
  const auto leave_out = [&](double since) { return since > begun ? now : since + (now - begun); };
  if (fiber.left_at >= 0.0) {
    fiber.left_at = leave_out(fiber.left_at);
    fiber.left_at_wall = read(CLOCK_MONOTONIC) - (now - fiber.left_at);  // as if not interrupted up to now
  }
  fiber.sampled_since = leave_out(fiber.sampled_since);
}

double own_time() {
  const Simulation& engine = simulation();
  const Fiber& fiber = running_fiber();
  double flops = fiber.owed.total();
  if (fiber.left_at >= 0.0) flops += seconds_since(fiber.left_at) * speed_here();
  const double factor = current_platform()->scaling().speeds.of(engine.host_of(fiber.rank));
  return engine.now + (flops / core_speed() + fiber.owed_bytes_seconds.total()) / factor;
}

double read_clock() {
  const Simulation& engine = simulation();
  const double time = engine.now;
  const Outside outside(running_fiber());
  wait_busily(options().wtime_cost, "MPI_Wtime", Patience::kOfClocks);
  if (observers && engine.now > time) notify(&Observer::idled, engine.running, engine.now - time);
  return time;
}

void leave_call() {
  Fiber& fiber = running_fiber();
  if (options().simulate_computation && fiber.measured) {
    fiber.left_at = clock_now();
    fiber.left_at_wall = read(CLOCK_MONOTONIC);
    if (!simulation().invented_clock) {
      Interruptions::current().interval_begins(fiber.left_at_wall, fiber.left_at);
    }
  } else {
    ++simulation().time_spent.free_stretches;
  }
}

void begin_computation() {
  if (running_fiber().left_at < 0.0) leave_call();
}

}  // namespace pysmpi
