// Allgatherv algorithms: blocks may have different lengths.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule allgatherv_linear(Runner& run, Arguments args);
Schedule allgatherv_gather_bcast(Runner& run, Arguments args);
Schedule allgatherv_by_distance(Runner& run, Arguments args);
Schedule allgatherv_pairwise(Runner& run, Arguments args);
Schedule allgatherv_recursive_doubling(Runner& run, Arguments args);
Schedule allgatherv_bruck(Runner& run, Arguments args);
Schedule allgatherv_ring(Runner& run, Arguments args);
Schedule allgatherv_mpich_ring(Runner& run, Arguments args);
Schedule allgatherv_openmpi_ring(Runner& run, Arguments args);
Schedule allgatherv_neighbour_exchange(Runner& run, Arguments args);

}  // namespace pysmpi
