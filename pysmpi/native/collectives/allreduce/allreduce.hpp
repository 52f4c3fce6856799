// Allreduce algorithms.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule allreduce_reduce_bcast(Runner& run, Arguments args);
Schedule allreduce_linear(Runner& run, Arguments args);
Schedule allreduce_recursive_doubling(Runner& run, Arguments args);
Schedule allreduce_openmpi_recursive_doubling(Runner& run, Arguments args);

// Reduces by recursive doubling instead of the algorithm `name`, which needs a commutative operation. Records this
// fallback.
Schedule allreduce_doubling_instead_of(const char* name, Runner& run, Arguments args);

Schedule allreduce_ring(Runner& run, Arguments args);
Schedule allreduce_segmented_ring(Runner& run, Arguments args);
Schedule allreduce_openmpi_ring(Runner& run, Arguments args);

Schedule allreduce_rabenseifner(Runner& run, Arguments args);
Schedule allreduce_mpich_rabenseifner(Runner& run, Arguments args);
Schedule allreduce_rabenseifner_1997(Runner& run, Arguments args);
Schedule allreduce_openmpi_rabenseifner(Runner& run, Arguments args);
Schedule allreduce_parts_or_doubling(Runner& run, Arguments args);
Schedule allreduce_halving_allgather(Runner& run, Arguments args);
Schedule allreduce_alltoall_allgather(Runner& run, Arguments args);

Schedule allreduce_smp_binomial(Runner& run, Arguments args);
Schedule allreduce_smp_pipeline(Runner& run, Arguments args);
Schedule allreduce_smp_doubling(Runner& run, Arguments args);
Schedule allreduce_smp_ring(Runner& run, Arguments args);
Schedule allreduce_smp_rabenseifner(Runner& run, Arguments args);

// Reduces in each node by `within`, then among the nodes' first ranks by `between`, and broadcasts the result in each
// node.
Schedule allreduce_two_level(Runner& run, Arguments args, Algorithm within, Algorithm between);
Schedule allreduce_mvapich2_two_level(Runner& run, Arguments args);

// Each rank of a node is responsible for a part of the vector and combines it with the same part on the other nodes.
Schedule allreduce_multilane(Runner& run, Arguments args);

Schedule allreduce_recursive(Runner& run, Arguments args);  // `args.parameter`: the radix, or 0 for 2
Schedule allreduce_swing_latency(Runner& run, Arguments args);
Schedule allreduce_swing_bandwidth(Runner& run, Arguments args);

}  // namespace pysmpi
