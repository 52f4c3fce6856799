// Reductions to all ranks.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule allreduce_reduce_bcast(Runner& run, Arguments a);
Schedule allreduce_recursive_doubling(Runner& run, Arguments a);
Schedule allreduce_ring(Runner& run, Arguments a);
Schedule allreduce_segmented_ring(Runner& run, Arguments a);
Schedule allreduce_rabenseifner(Runner& run, Arguments a);

}  // namespace pysmpi
