// Gather algorithms.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule gather_linear(Runner& run, Arguments a);
Schedule gather_in_order(Runner& run, Arguments a);
Schedule gather_in_turns(Runner& run, Arguments a);
Schedule gather_binomial(Runner& run, Arguments a);
Schedule gather_two_level(Runner& run, Arguments a);
Schedule gatherv_linear(Runner& run, Arguments a);
Schedule gatherv_in_order(Runner& run, Arguments a);
Schedule gatherv_binomial(Runner& run, Arguments a);

// Two-level gather with `within_node` on each node. The nodes must have been discovered.
Schedule gather_over_nodes(Runner& run, Arguments a, Algorithm within_node);

}  // namespace pysmpi
