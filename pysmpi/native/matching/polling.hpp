// The simulated time that a test for completion takes.
#pragma once

#include <cstdint>

#include "base/options.hpp"
#include "engine/busy_waiting.hpp"
#include "engine/computation.hpp"
#include "engine/simulation.hpp"

namespace pysmpi {

// Poll at SMPI's cost: smpi/test seconds times a counter that each unsuccessful poll increases and each successful one
// resets. `look` returns whether the poll is successful. `asks` is true if SMPI makes a separate call for `look`, which
// it does except for detached sends. Returns false if the rank is being stopped.
template <class Look>
bool poll(PollCounter counter, const char* call, const Look& look, bool& found, bool asks = true) {
  if (!inside_rank()) {
    found = look();
    return true;
  }
  Simulation& engine = simulation();
  const double cost = options().test_cost;
  const std::uint64_t before = running_fiber().busy_calls;
  if (cost > 0.0) {
    const Poll poll;
    if (!sleep_in_test(counter, call)) return false;
  }
  if (asks) engine.call_order();
  found = look();
  if (cost > 0.0) engine.deferred_actions.poll_has_ended(engine.next_order(), counter, found);
  if (found) return true;
  ++engine.counters.failed_probes;
  return end_unsuccessful_poll(cost, before, call);
}

}  // namespace pysmpi
