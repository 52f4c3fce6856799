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

}  // namespace

bool wait_busily(double seconds, const char* call, Patience patience) {
  constexpr std::uint64_t kMostDoublings = 200;
  Fiber& fiber = running_fiber();
  const std::uint64_t calls = ++fiber.busy_calls;
  const std::uint64_t doublings = calls / static_cast<std::uint64_t>(patience);
  if (options().grow_injected_times && doublings > 0) {
    seconds = std::ldexp(seconds, static_cast<int>(std::min(doublings, kMostDoublings)));
  }
  const bool going = seconds > 0.0 ? sleep_for(seconds, call, Spent::kPolling) : give_way(call, patience);
  fiber.busy_calls = calls;
  return going;
}

Poll::Poll() { ++simulation().polls_under_way; }
Poll::~Poll() { --simulation().polls_under_way; }

bool end_unsuccessful_poll(double cost, const char* call) {
  if (cost <= 0.0) return wait_busily(0.0, call, Patience::kOfPolls);
  simulation().count_unsuccessful_poll();
  return true;
}

}  // namespace pysmpi
