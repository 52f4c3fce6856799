// Broadcasts.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule bcast_binomial(Runner& run, Arguments a);
Schedule bcast_linear(Runner& run, Arguments a);
Schedule bcast_scatter_ring_allgather(Runner& run, Arguments a);

}  // namespace pysmpi
