// Reduce algorithms.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule reduce_at_root(Runner& run, Arguments args);
Schedule reduce_in_order(Runner& run, Arguments args);
Schedule reduce_binomial(Runner& run, Arguments args);
Schedule reduce_binomial_even_empty(Runner& run, Arguments args);  // sends messages even if there are no elements

// Reduces by a binomial tree instead of the algorithm `name`, which needs a commutative operation. Records this
// fallback.
Schedule reduce_binomial_instead_of(const char* name, Runner& run, Arguments args);

Schedule reduce_knomial(Runner& run, Arguments args);  // `args.parameter`: the radix, or 0 for 4

Schedule reduce_chains(Runner& run, Arguments args);
Schedule reduce_pipeline(Runner& run, Arguments args);
Schedule reduce_binary(Runner& run, Arguments args);
Schedule reduce_segmented_binomial(Runner& run, Arguments args);
Schedule reduce_in_order_binary(Runner& run, Arguments args);
Schedule reduce_openmpi_chain(Runner& run, Arguments args);
Schedule reduce_openmpi_binary(Runner& run, Arguments args);
Schedule reduce_openmpi_binomial(Runner& run, Arguments args);
Schedule reduce_openmpi_in_order_binary(Runner& run, Arguments args);

Schedule reduce_scatter_gather(Runner& run, Arguments args);
Schedule reduce_mpich_scatter_gather(Runner& run, Arguments args);
Schedule reduce_nonblocking_scatter_gather(Runner& run, Arguments args);  // of MPICH's nonblocking calls
Schedule reduce_openmpi_rabenseifner(Runner& run, Arguments args);
Schedule reduce_rabenseifner_1997(Runner& run, Arguments args);

Schedule reduce_star_chain(Runner& run, Arguments args);
Schedule reduce_by_arrival(Runner& run, Arguments args);

// `within` reduces in each node to its first rank, then `between` reduces among these ranks to the first rank of the
// root's node.
Schedule reduce_two_level(Runner& run, Arguments args, Algorithm within, Algorithm between);
Schedule reduce_mvapich2_two_level(Runner& run, Arguments args);

}  // namespace pysmpi
