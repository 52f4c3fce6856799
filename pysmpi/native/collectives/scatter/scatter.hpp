// Scatter algorithms.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule scatter_linear(Runner& run, Arguments args);
Schedule scatter_in_order(Runner& run, Arguments args);
Schedule scatter_binomial(Runner& run, Arguments args);
Schedule scatter_mpich_binomial(Runner& run, Arguments args);
Schedule scatter_two_level_in_order(Runner& run, Arguments args);
Schedule scatter_two_level_binomial(Runner& run, Arguments args);
Schedule scatterv_linear(Runner& run, Arguments args);
Schedule scatterv_mpich_linear(Runner& run, Arguments args);
Schedule scatterv_in_order(Runner& run, Arguments args);
Schedule scatterv_openmpi_linear(Runner& run, Arguments args);
Schedule scatterv_binomial(Runner& run, Arguments args);

// Two-level scatter: `between_nodes` scatters to the leaders, `within_node` on each node. To be called after the
// messages of discover_nodes (collectives/nodes.hpp), by which ranks learn who shares their node.
Schedule scatter_over_nodes(Runner& run, Arguments args, Algorithm between_nodes, Algorithm within_node);

}  // namespace pysmpi
