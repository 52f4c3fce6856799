// Barrier algorithms; all messages are empty.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule barrier_linear(Runner& run, Arguments a);
Schedule barrier_recursive_doubling(Runner& run, Arguments a);
Schedule barrier_bruck(Runner& run, Arguments a);
Schedule barrier_tree(Runner& run, Arguments a);
Schedule barrier_double_ring(Runner& run, Arguments a);
Schedule barrier_two_ranks(Runner& run, Arguments a);      // recursive doubling on more than two ranks
Schedule barrier_dissemination(Runner& run, Arguments a);  // a.parameter: the radix k, or 0 for 2
Schedule barrier_two_level(Runner& run, Arguments a);

}  // namespace pysmpi
