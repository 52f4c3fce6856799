// Neighbourhood collectives: exchanges along the edges of a topology.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule neighbor_allgather_linear(Runner& run, Arguments args);
Schedule neighbor_allgatherv_linear(Runner& run, Arguments args);
Schedule neighbor_alltoall_linear(Runner& run, Arguments args);
Schedule neighbor_alltoallv_linear(Runner& run, Arguments args);
Schedule neighbor_alltoallw_linear(Runner& run, Arguments args);

}  // namespace pysmpi
