// Barrier algorithms; all messages are empty.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule barrier_linear(Runner& run, Arguments args);
Schedule barrier_recursive_doubling(Runner& run, Arguments args);
Schedule barrier_openmpi_recursive_doubling(Runner& run, Arguments args);
Schedule barrier_bruck(Runner& run, Arguments args);
Schedule barrier_tree(Runner& run, Arguments args);
Schedule barrier_double_ring(Runner& run, Arguments args);
Schedule barrier_two_ranks(Runner& run, Arguments args);      // recursive doubling on more than two ranks
Schedule barrier_dissemination(Runner& run, Arguments args);  // args.parameter: the radix k, or 0 for 2
Schedule barrier_two_level(Runner& run, Arguments args);

}  // namespace pysmpi
