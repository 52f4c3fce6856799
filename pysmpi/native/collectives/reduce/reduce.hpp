// Reductions to one rank.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule reduce_at_root(Runner& run, Arguments a);
Schedule reduce_in_order(Runner& run, Arguments a);
Schedule reduce_binomial(Runner& run, Arguments a);
Schedule reduce_knomial(Runner& run, Arguments a);  // `a.parameter`: the radix, 4 when there is none

Schedule reduce_chains(Runner& run, Arguments a);
Schedule reduce_pipeline(Runner& run, Arguments a);
Schedule reduce_binary(Runner& run, Arguments a);
Schedule reduce_segmented_binomial(Runner& run, Arguments a);
Schedule reduce_in_order_binary(Runner& run, Arguments a);
Schedule reduce_whole_chain(Runner& run, Arguments a);
Schedule reduce_whole_binary(Runner& run, Arguments a);
Schedule reduce_whole_binomial(Runner& run, Arguments a);

}  // namespace pysmpi
