// Barriers: messages without contents.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule barrier_linear(Runner& run, Arguments a);
Schedule barrier_recursive_doubling(Runner& run, Arguments a);
Schedule barrier_bruck(Runner& run, Arguments a);
Schedule barrier_tree(Runner& run, Arguments a);
Schedule barrier_double_ring(Runner& run, Arguments a);

}  // namespace pysmpi
