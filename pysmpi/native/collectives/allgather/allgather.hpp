// Allgather algorithms.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule allgather_linear(Runner& run, Arguments args);
Schedule allgather_spreading(Runner& run, Arguments args);
Schedule allgather_by_distance(Runner& run, Arguments args);
Schedule allgather_pairwise(Runner& run, Arguments args);
Schedule allgather_recursive_doubling(Runner& run, Arguments args);
Schedule allgather_recursive_halving(Runner& run, Arguments args);
Schedule allgather_bruck(Runner& run, Arguments args);
Schedule allgather_ring(Runner& run, Arguments args);
Schedule allgather_ring_posted(Runner& run, Arguments args);
Schedule allgather_neighbour_exchange(Runner& run, Arguments args);
Schedule allgather_mesh(Runner& run, Arguments args);
Schedule allgather_cube(Runner& run, Arguments args);
Schedule allgather_gather_bcast(Runner& run, Arguments args);
Schedule allgather_groups_linear(Runner& run, Arguments args);
Schedule allgather_groups_ring(Runner& run, Arguments args);
Schedule allgather_groups_rings(Runner& run, Arguments args);
Schedule allgather_two_level(Runner& run, Arguments args);

}  // namespace pysmpi
