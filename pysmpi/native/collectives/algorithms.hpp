// The algorithms, by operation. Each is legal for any number of ranks, root, count and datatype, and says so where it
// turns to another one; those that need a commutative operation are only chosen for one.
#pragma once

#include "collectives/arguments.hpp"

namespace pysmpi {

Schedule barrier_linear(Runner& run, Arguments a);
Schedule barrier_recursive_doubling(Runner& run, Arguments a);
Schedule barrier_bruck(Runner& run, Arguments a);
Schedule barrier_tree(Runner& run, Arguments a);
Schedule barrier_double_ring(Runner& run, Arguments a);

Schedule bcast_binomial(Runner& run, Arguments a);
Schedule bcast_linear(Runner& run, Arguments a);

Schedule reduce_at_root(Runner& run, Arguments a);  // commutative
Schedule reduce_in_order(Runner& run, Arguments a);
Schedule reduce_binomial(Runner& run, Arguments a);

Schedule allreduce_reduce_bcast(Runner& run, Arguments a);
Schedule allreduce_recursive_doubling(Runner& run, Arguments a);
Schedule allreduce_ring(Runner& run, Arguments a);            // commutative
Schedule allreduce_segmented_ring(Runner& run, Arguments a);  // commutative
Schedule allreduce_rabenseifner(Runner& run, Arguments a);    // commutative

Schedule scan_linear(Runner& run, Arguments a);
Schedule exscan_linear(Runner& run, Arguments a);

Schedule reduce_scatter_reduce_scatter(Runner& run, Arguments a);
Schedule reduce_scatter_pairwise(Runner& run, Arguments a);  // commutative
Schedule reduce_scatter_recursive_doubling(Runner& run, Arguments a);
Schedule reduce_scatter_halving_in_order(Runner& run, Arguments a);  // power of two, equal counts

Schedule gather_linear(Runner& run, Arguments a);
Schedule gather_in_order(Runner& run, Arguments a);
Schedule gather_binomial(Runner& run, Arguments a);
Schedule gatherv_linear(Runner& run, Arguments a);
Schedule scatter_linear(Runner& run, Arguments a);
Schedule scatter_in_order(Runner& run, Arguments a);
Schedule scatter_binomial(Runner& run, Arguments a);
Schedule scatterv_linear(Runner& run, Arguments a);

Schedule allgather_linear(Runner& run, Arguments a);
Schedule allgather_by_distance(Runner& run, Arguments a);
Schedule allgather_pairwise(Runner& run, Arguments a);
Schedule allgather_recursive_doubling(Runner& run, Arguments a);
Schedule allgather_bruck(Runner& run, Arguments a);
Schedule allgather_neighbour_exchange(Runner& run, Arguments a);
Schedule allgatherv_linear(Runner& run, Arguments a);

Schedule alltoall_linear(Runner& run, Arguments a);
Schedule alltoall_pairwise(Runner& run, Arguments a);
Schedule alltoall_bruck(Runner& run, Arguments a);
Schedule alltoallv_linear(Runner& run, Arguments a);
Schedule alltoallw_linear(Runner& run, Arguments a);

Schedule neighbor_allgather_linear(Runner& run, Arguments a);
Schedule neighbor_allgatherv_linear(Runner& run, Arguments a);
Schedule neighbor_alltoall_linear(Runner& run, Arguments a);
Schedule neighbor_alltoallv_linear(Runner& run, Arguments a);
Schedule neighbor_alltoallw_linear(Runner& run, Arguments a);

}  // namespace pysmpi
