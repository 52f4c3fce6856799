// Allgather algorithms.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule allgather_linear(Runner& run, Arguments a);
Schedule allgather_spreading(Runner& run, Arguments a);
Schedule allgather_by_distance(Runner& run, Arguments a);
Schedule allgather_pairwise(Runner& run, Arguments a);
Schedule allgather_recursive_doubling(Runner& run, Arguments a);
Schedule allgather_recursive_halving(Runner& run, Arguments a);
Schedule allgather_bruck(Runner& run, Arguments a);
Schedule allgather_ring(Runner& run, Arguments a);
Schedule allgather_ring_posted(Runner& run, Arguments a);
Schedule allgather_neighbour_exchange(Runner& run, Arguments a);
Schedule allgather_mesh(Runner& run, Arguments a);
Schedule allgather_cube(Runner& run, Arguments a);
Schedule allgather_gather_bcast(Runner& run, Arguments a);
Schedule allgather_groups_linear(Runner& run, Arguments a);
Schedule allgather_groups_ring(Runner& run, Arguments a);
Schedule allgather_groups_rings(Runner& run, Arguments a);
Schedule allgather_two_level(Runner& run, Arguments a);

}  // namespace pysmpi
