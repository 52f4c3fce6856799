// Neighbourhood collectives: exchanges along the edges of a topology.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule neighbor_allgather_linear(Runner& run, Arguments args);
Schedule neighbor_allgatherv_linear(Runner& run, Arguments args);
Schedule neighbor_alltoall_linear(Runner& run, Arguments args);
Schedule neighbor_alltoallv_linear(Runner& run, Arguments args);
Schedule neighbor_alltoallw_linear(Runner& run, Arguments args);

// Open MPI's versions: a rank that is its own neighbour sends itself a message.
Schedule neighbor_allgather_openmpi(Runner& run, Arguments args);
Schedule neighbor_allgatherv_openmpi(Runner& run, Arguments args);
Schedule neighbor_alltoall_openmpi(Runner& run, Arguments args);
Schedule neighbor_alltoallv_openmpi(Runner& run, Arguments args);
Schedule neighbor_alltoallw_openmpi(Runner& run, Arguments args);
// Open MPI's versions in blocking calls: they send no messages without bytes. Both ranks of an edge know its bytes.
Schedule neighbor_allgather_openmpi_blocking(Runner& run, Arguments args);
Schedule neighbor_alltoall_openmpi_blocking(Runner& run, Arguments args);

}  // namespace pysmpi
