// Gathering at one rank.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule gather_linear(Runner& run, Arguments a);
Schedule gather_in_order(Runner& run, Arguments a);
Schedule gather_binomial(Runner& run, Arguments a);
Schedule gatherv_linear(Runner& run, Arguments a);

}  // namespace pysmpi
