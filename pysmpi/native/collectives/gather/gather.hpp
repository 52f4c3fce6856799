// Gather algorithms.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule gather_linear(Runner& run, Arguments args);
Schedule gather_in_order(Runner& run, Arguments args);
Schedule gather_in_turns(Runner& run, Arguments args);
Schedule gather_binomial(Runner& run, Arguments args);
Schedule gather_two_level(Runner& run, Arguments args);
Schedule gatherv_linear(Runner& run, Arguments args);
Schedule gatherv_mpich_linear(Runner& run, Arguments args);
Schedule gatherv_in_order(Runner& run, Arguments args);
Schedule gatherv_openmpi_linear(Runner& run, Arguments args);
Schedule gatherv_binomial(Runner& run, Arguments args);

// Two-level gather with `within_node` on each node. To be called after the messages of discover_nodes
// (collectives/nodes.hpp), by which ranks learn who shares their node.
Schedule gather_over_nodes(Runner& run, Arguments args, Algorithm within_node);

}  // namespace pysmpi
