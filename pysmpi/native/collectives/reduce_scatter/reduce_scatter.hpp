// Reductions whose result is spread over the ranks. MPI_Reduce_scatter_block has one count for all.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

// To rank 0 by this algorithm, or the one that is chosen for reductions, then scattered.
Schedule reduce_then_scatter(Runner& run, Arguments a, Algorithm reduction);
Schedule reduce_scatter_nonoverlapping(Runner& run, Arguments a);

Schedule reduce_scatter_pairwise(Runner& run, Arguments a);
Schedule reduce_scatter_ring(Runner& run, Arguments a);
Schedule reduce_scatter_recursive_doubling(Runner& run, Arguments a);
Schedule reduce_scatter_openmpi_halving(Runner& run, Arguments a);
Schedule reduce_scatter_mpich_halving(Runner& run, Arguments a);
Schedule reduce_scatter_butterfly(Runner& run, Arguments a);
Schedule reduce_scatter_halving_in_order(Runner& run, Arguments a);

}  // namespace pysmpi
