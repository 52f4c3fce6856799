// Broadcast algorithms.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

Schedule bcast_binomial(Runner& run, Arguments args);
Schedule bcast_binomial_at_once(Runner& run, Arguments args);
Schedule bcast_linear(Runner& run, Arguments args);
Schedule bcast_linear_in_segments(Runner& run, Arguments args);

Schedule bcast_scatter_ring_allgather(Runner& run, Arguments args);
Schedule bcast_scatter_doubling_allgather(Runner& run, Arguments args);
Schedule bcast_scatter_ring_allgather_at_once(Runner& run, Arguments args);  // MPICH's nonblocking broadcasts
Schedule bcast_scatter_doubling_allgather_at_once(Runner& run, Arguments args);

// The root sends the buffer to rank 0, which broadcasts it in segments of 8 KiB.
Schedule bcast_chain_from_0(Runner& run, Arguments args);
Schedule bcast_binary_tree_from_0(Runner& run, Arguments args);

// Broadcasts down a tree whose ranks send each segment to all their children at once. args.parameter: bytes of a
// segment, or 0 for the whole buffer. bcast_knomial: args.parameter is the radix k, or 0 for 4. bcast_chains: it is the
// number of chains, or 0 for 4.
Schedule bcast_pipeline(Runner& run, Arguments args);
Schedule bcast_chains(Runner& run, Arguments args);
Schedule bcast_binary_tree(Runner& run, Arguments args);
Schedule bcast_high_binomial(Runner& run, Arguments args);
Schedule bcast_knomial(Runner& run, Arguments args);

// The two halves of the buffer go down the two branches of a binary tree; then pairs of ranks exchange their halves.
// args.parameter: bytes of a segment, or 0 for a whole half.
Schedule bcast_split_binary_tree(Runner& run, Arguments args);

// Broadcasts of Open MPI 4.1 and 5.0. They fall back to the linear broadcast if there are fewer elements than ranks.
Schedule bcast_openmpi_scatter_doubling_allgather(Runner& run, Arguments args);
Schedule bcast_openmpi_scatter_ring_allgather(Runner& run, Arguments args);

// Broadcasts down trees with the segment sizes that SMPI chooses.
Schedule bcast_smpi_pipeline(Runner& run, Arguments args);
Schedule bcast_smpi_split_binary_tree(Runner& run, Arguments args);

// Broadcasts among nodes and then in each node. They assume that ranks are numbered node by node.
Schedule bcast_nodes_binomial(Runner& run, Arguments args);
Schedule bcast_nodes_binary(Runner& run, Arguments args);
Schedule bcast_nodes_chain(Runner& run, Arguments args);

// Broadcasts for any placement of ranks: the root sends to its node's first rank, `between` broadcasts among the first
// ranks of all nodes, and `within` broadcasts in each node.
Schedule bcast_two_level(Runner& run, Arguments args, Algorithm between, Algorithm within);
Schedule bcast_mvapich2_inter_node(Runner& run, Arguments args);
Schedule bcast_mvapich2_intra_node(Runner& run, Arguments args);
Schedule bcast_mvapich2_knomial(Runner& run, Arguments args);  // args.parameter: the radix k, or 0 for 4

// Broadcasts that send the data to the ranks in the order in which they enter the call.
Schedule bcast_by_arrival(Runner& run, Arguments args);
Schedule bcast_by_arrival_in_groups(Runner& run, Arguments args);
Schedule bcast_scatter_by_arrival(Runner& run, Arguments args);

}  // namespace pysmpi
