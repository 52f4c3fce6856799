// Reductions whose result is spread over the ranks. MPI_Reduce_scatter_block has one count for all.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule reduce_scatter_reduce_scatter(Runner& run, Arguments a);
Schedule reduce_scatter_pairwise(Runner& run, Arguments a);
Schedule reduce_scatter_recursive_doubling(Runner& run, Arguments a);
Schedule reduce_scatter_halving_in_order(Runner& run, Arguments a);

}  // namespace pysmpi
