// Busy waiting: time that polling ranks spend, and detection of ranks that poll without end.
#include "engine/busy_waiting.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/options.hpp"
#include "engine/computation.hpp"
#include "engine/simulation.hpp"

namespace pysmpi {

namespace {

// Let all other ranks that are ready at the present simulated time run before the running rank continues. After more
// than `patience` calls in a row, wait for the next event instead. Deadlock reports name the MPI function `call`.
bool give_way(const char* call, Patience patience) {
  Simulation& engine = simulation();
  Fiber& fiber = running_fiber();
  engine.count_unsuccessful_poll();
  if (fiber.busy_calls > static_cast<std::uint64_t>(patience)) {
    engine.await_next_event(fiber);
  } else if (!engine.await_turn(fiber)) {
    return true;
  }
  const Poll poll;
  return block({.call = call, .kind = WaitKind::kTime, .spent = Spent::kPolling});
}

// Return `seconds`, doubled once for every `patience` of the `calls`, but at most `most` times.
double doubled(double seconds, std::uint64_t calls, Patience patience, std::uint64_t most) {
  const std::uint64_t doublings = calls / static_cast<std::uint64_t>(patience);
  return doublings == 0 ? seconds : std::ldexp(seconds, static_cast<int>(std::min(doublings, most)));
}

}  // namespace

bool wait_busily(double seconds, const char* call, Patience patience) {
  constexpr std::uint64_t kMostDoublings = 200;
  Fiber& fiber = running_fiber();
  const std::uint64_t calls = ++fiber.busy_calls;
  if (fiber.in_task) return true;  // other ranks cannot run before the task ends
  seconds = doubled(seconds, calls, patience, kMostDoublings);
  const bool going = seconds > 0.0 ? sleep_for(seconds, call, Spent::kPolling) : give_way(call, patience);
  fiber.busy_calls = calls;
  return going;
}

Poll::Poll() { ++simulation().polls_under_way; }
Poll::~Poll() { --simulation().polls_under_way; }

double lengthening_after(std::uint64_t unsuccessful) {
  constexpr std::uint64_t kMostDoublings = 20;
  if (!options().polls_are_independent()) return 1.0;
  return doubled(1.0, unsuccessful, Patience::kOfTimedPolls, kMostDoublings);
}

double lengthening_of_poll(double cost) {
  constexpr double kTooLate = 0.01;  // delay with which a rank may notice an event, as a fraction of its waiting time
  // A rank that spends more seconds than this between two polls works, and does not just wait.
  constexpr double kBetweenPolls = 5e-5;
  if (!options().polls_are_independent()) return 1.0;
  const double now = simulation().now;
  Fiber& fiber = running_fiber();
  if (fiber.busy_calls == 0 || now - fiber.polled_at > kBetweenPolls) fiber.polls_since = now;
  const double factor = lengthening_after(fiber.busy_calls);
  if (!options().simulate_computation || !fiber.measured || cost <= 0.0) return factor;
  return std::max(factor, kTooLate * (now - fiber.polls_since) / cost);
}

bool end_unsuccessful_poll(double cost, std::uint64_t before, const char* call) {
  if (cost <= 0.0) return wait_busily(0.0, call, Patience::kOfPolls);
  Fiber& fiber = running_fiber();
  fiber.busy_calls = before + 1;
  fiber.polled_at = simulation().now;
  simulation().count_unsuccessful_poll();
  return true;
}

}  // namespace pysmpi
