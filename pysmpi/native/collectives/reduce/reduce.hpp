// Reductions to one rank.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule reduce_at_root(Runner& run, Arguments a);
Schedule reduce_in_order(Runner& run, Arguments a);
Schedule reduce_binomial(Runner& run, Arguments a);

}  // namespace pysmpi
