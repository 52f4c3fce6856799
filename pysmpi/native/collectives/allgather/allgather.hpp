// Gathering at all ranks.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule allgather_linear(Runner& run, Arguments a);
Schedule allgather_by_distance(Runner& run, Arguments a);
Schedule allgather_pairwise(Runner& run, Arguments a);
Schedule allgather_recursive_doubling(Runner& run, Arguments a);
Schedule allgather_bruck(Runner& run, Arguments a);
Schedule allgather_neighbour_exchange(Runner& run, Arguments a);
Schedule allgatherv_linear(Runner& run, Arguments a);

}  // namespace pysmpi
