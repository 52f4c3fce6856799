// Reduce-scatter algorithms. MPI_Reduce_scatter_block has one count for all ranks.
#pragma once

#include "collectives/catalogue.hpp"
#include "rank_memory/folded.hpp"

namespace pysmpi {

// Return the send buffer if it is folded memory, else the receive buffer. Temporary buffers are then folded whenever
// the data are, even if the rank's own part is small and not folded.
inline const void* folded_or_received(const Arguments& args) { return is_folded(args.send) ? args.send : args.receive; }

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
