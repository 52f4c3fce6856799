// The simulated time that a test for completion takes.
#pragma once

#include <cstdint>

#include "base/options.hpp"
#include "engine/busy_waiting.hpp"
#include "engine/computation.hpp"
#include "engine/simulation.hpp"

namespace pysmpi {

// Poll at SMPI's cost: smpi/test seconds times a counter that each unsuccessful poll increases. Returns false if the
// rank is being stopped.
template <class Look>
bool poll(std::uint64_t Simulation::* counter, const char* call, const Look& look, bool& found) {
  if (!inside_rank()) {
    found = look();
    return true;
  }
  std::uint64_t& failures = simulation().*counter;
  const double seconds = static_cast<double>(failures) * options().test_cost;
  if (seconds > 0.0) {
    const Poll poll;
    if (!sleep_for(seconds, call, Spent::kPolling)) return false;
  }
  found = look();
  if (found) {
    failures = 1;
    return true;
  }
  ++simulation().counters.failed_probes;
  if (options().grow_injected_times) ++failures;
  return end_unsuccessful_poll(options().test_cost, call);
}

}  // namespace pysmpi
