// Broadcasts.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule bcast_binomial(Runner& run, Arguments a);
Schedule bcast_linear(Runner& run, Arguments a);
Schedule bcast_linear_in_segments(Runner& run, Arguments a);

Schedule bcast_scatter_ring_allgather(Runner& run, Arguments a);
Schedule bcast_scatter_doubling_allgather(Runner& run, Arguments a);

// From rank 0, to which the root hands the buffer first, in segments of 8 KiB.
Schedule bcast_chain_from_0(Runner& run, Arguments a);
Schedule bcast_binary_tree_from_0(Runner& run, Arguments a);

// Down a tree whose ranks send each segment to all of their children at once. a.parameter: a segment's bytes, 0: the
// whole buffer; of the k-nomial tree, its k, 0: 4.
Schedule bcast_pipeline(Runner& run, Arguments a);
Schedule bcast_binary_tree(Runner& run, Arguments a);
Schedule bcast_high_binomial(Runner& run, Arguments a);
Schedule bcast_knomial(Runner& run, Arguments a);

// Halves of the buffer down the two branches of a binary tree, then between pairs of ranks. a.parameter: as above.
Schedule bcast_split_binary_tree(Runner& run, Arguments a);

// As Open MPI 4.1 and 5.0 call them: each has a rule for buffers that are too small for it.
Schedule bcast_openmpi_scatter_doubling_allgather(Runner& run, Arguments a);
Schedule bcast_openmpi_scatter_ring_allgather(Runner& run, Arguments a);

// SMPI's own choice of segments.
Schedule bcast_smpi_pipeline(Runner& run, Arguments a);
Schedule bcast_smpi_split_binary_tree(Runner& run, Arguments a);

// By nodes, taking ranks to be numbered node by node.
Schedule bcast_nodes_binomial(Runner& run, Arguments a);
Schedule bcast_nodes_binary(Runner& run, Arguments a);
Schedule bcast_nodes_chain(Runner& run, Arguments a);

// By nodes, wherever ranks are: to the nodes' first ranks, among them by `between`, and by `within` in each node.
Schedule bcast_two_level(Runner& run, Arguments a, Algorithm between, Algorithm within);
Schedule bcast_mvapich2_inter_node(Runner& run, Arguments a);
Schedule bcast_mvapich2_intra_node(Runner& run, Arguments a);
Schedule bcast_mvapich2_knomial(Runner& run, Arguments a);  // a.parameter: its k, 0: 4

// The buffer goes to ranks in the order in which they enter.
Schedule bcast_by_arrival(Runner& run, Arguments a);
Schedule bcast_by_arrival_in_groups(Runner& run, Arguments a);
Schedule bcast_scatter_by_arrival(Runner& run, Arguments a);

}  // namespace pysmpi
