// Total exchanges.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule alltoall_linear(Runner& run, Arguments a);
Schedule alltoall_pairwise(Runner& run, Arguments a);
Schedule alltoall_bruck(Runner& run, Arguments a);
Schedule alltoallv_linear(Runner& run, Arguments a);
Schedule alltoallw_linear(Runner& run, Arguments a);

}  // namespace pysmpi
