// Scattering from one rank.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule scatter_linear(Runner& run, Arguments a);
Schedule scatter_in_order(Runner& run, Arguments a);
Schedule scatter_binomial(Runner& run, Arguments a);
Schedule scatterv_linear(Runner& run, Arguments a);

}  // namespace pysmpi
