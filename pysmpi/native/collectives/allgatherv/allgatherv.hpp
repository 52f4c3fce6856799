// Allgatherv algorithms: blocks may have different lengths.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule allgatherv_linear(Runner& run, Arguments a);
Schedule allgatherv_gather_bcast(Runner& run, Arguments a);
Schedule allgatherv_by_distance(Runner& run, Arguments a);
Schedule allgatherv_pairwise(Runner& run, Arguments a);
Schedule allgatherv_recursive_doubling(Runner& run, Arguments a);
Schedule allgatherv_bruck(Runner& run, Arguments a);
Schedule allgatherv_ring(Runner& run, Arguments a);
Schedule allgatherv_neighbour_exchange(Runner& run, Arguments a);

}  // namespace pysmpi
