// Reduce-scatter algorithms. MPI_Reduce_scatter_block has one count for all ranks.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

// Reduce to rank 0 by `reduction`, or by the algorithm chosen for reductions, then scatter.
Schedule reduce_then_scatter(Runner& run, Arguments args, Algorithm reduction);
Schedule reduce_scatter_nonoverlapping(Runner& run, Arguments args);

// Open MPI's algorithm for MPI_Reduce_scatter_block: a reduce to rank 0, then a scatter of equal blocks.
Schedule reduce_scatter_block_linear(Runner& run, Arguments args);

Schedule reduce_scatter_pairwise(Runner& run, Arguments args);
Schedule reduce_scatter_ring(Runner& run, Arguments args);
Schedule reduce_scatter_openmpi_ring(Runner& run, Arguments args);
Schedule reduce_scatter_recursive_doubling(Runner& run, Arguments args);
Schedule reduce_scatter_openmpi_halving(Runner& run, Arguments args);
Schedule reduce_scatter_mpich_halving(Runner& run, Arguments args);
Schedule reduce_scatter_butterfly(Runner& run, Arguments args);
Schedule reduce_scatter_halving_in_order(Runner& run, Arguments args);

}  // namespace pysmpi
