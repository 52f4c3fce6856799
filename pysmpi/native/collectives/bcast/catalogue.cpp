// The broadcast algorithms: their names, communication patterns, numbers of rounds and bytes sent.
#include "collectives/bcast/bcast.hpp"

namespace pysmpi {

namespace {

constexpr NamedAlgorithm kBcast[] = {
    {"arrival_pattern_aware", bcast_by_arrival,
     "rank 0 to the ranks that have entered, along a chain, or else to one that has not; segments of 8 KiB", "up to P",
     "n (P - 1)"},
    {"arrival_pattern_aware_wait", bcast_by_arrival_in_groups,
     "rank 0 to the ranks that have entered, along a chain; segments of 8 KiB", "up to P", "n (P - 1)"},
    {"arrival_scatter", bcast_scatter_by_arrival,
     "rank 0 scatters to the ranks that have entered, which allgather round a ring", "up to P", "n (P - 1)"},
    {"NTSL", bcast_chain_from_0, "chain from rank 0, segments of 8 KiB", "P + n / 8 KiB", "n"},
    {"NTSL_Isend", bcast_chain_from_0, "chain from rank 0, segments of 8 KiB", "P + n / 8 KiB", "n"},
    {"NTSB", bcast_binary_tree_from_0, "binary tree from rank 0, segments of 8 KiB", "log2 P + n / 8 KiB", "2 n"},
    {"binomial_tree", bcast_binomial, "binomial tree", "log2 P", "n log2 P"},
    {"flattree", bcast_linear, "the root to all at once", "1", "n (P - 1)"},
    {"flattree_pipeline", bcast_linear_in_segments, "the root to one after the other, segments of 8 KiB",
     "P - 1 times n / 8 KiB", "n (P - 1)"},
    {"scatter_LR_allgather", bcast_scatter_ring_allgather, "scatter down a binomial tree, allgather round a ring",
     "log2 P + P - 1", "2 n"},
    {"scatter_rdb_allgather", bcast_scatter_doubling_allgather,
     "scatter down a binomial tree, allgather by recursive doubling", "2 log2 P", "2 n"},
    {"SMP_binary", bcast_nodes_binary, "binary tree of nodes and in each, segments of 8 KiB", "log2 P + n / 8 KiB",
     "4 n"},
    {"SMP_binomial", bcast_nodes_binomial, "binomial tree of nodes and in each", "log2 P", "n log2 P"},
    {"SMP_linear", bcast_nodes_chain, "chain of nodes and in each, segments of 8 KiB", "nodes + ranks of one", "2 n"},
    {"ompi_split_bintree", bcast_smpi_split_binary_tree,
     "halves down two branches of a binary tree, then between pairs, segments of 1 or 8 KiB", "log2 P + n / 2 KiB",
     "2 n"},
    {"ompi_pipeline", bcast_smpi_pipeline, "chain, segments of 16 to 128 KiB", "P + n / segment", "n"},
    {"mvapich2_inter_node", bcast_mvapich2_inter_node, "to the nodes' first ranks, then in each by a binomial tree",
     "log2 P", "n log2 P"},
    {"mvapich2_intra_node", bcast_mvapich2_intra_node,
     "above 16 KiB to the nodes' first ranks and in each, below by a binomial tree", "log2 P", "n log2 P"},
    {"mvapich2_knomial_intra_node", bcast_mvapich2_knomial, "4-nomial tree, one level after the other", "log4 P",
     "3 n log4 P"},
    {"knomial-k", bcast_knomial, "k-nomial tree, to all children at once", "logk P", "(k - 1) n logk P"},
    {"pipeline-k", bcast_pipeline, "chain, segments of k bytes", "P + n / k", "n"},
    {"chains-k", bcast_chains, "the root to k chains at once", "P / k", "k n"},
    {"openmpi_chain", bcast_pipeline, "chain", "P - 1", "n"},
    {"openmpi_binary_tree", bcast_binary_tree, "binary tree", "log2 P", "2 n"},
    {"openmpi_split_binary_tree", bcast_split_binary_tree,
     "halves down two branches of a binary tree, then between pairs", "log2 P + 1", "2 n"},
    {"openmpi_binomial", bcast_high_binomial, "binomial tree, to all children at once", "log2 P", "n log2 P"},
    {"openmpi_scatter_allgather", bcast_openmpi_scatter_doubling_allgather,
     "scatter down a binomial tree, allgather by recursive doubling", "2 log2 P", "2 n"},
    {"openmpi_scatter_allgather_ring", bcast_openmpi_scatter_ring_allgather,
     "scatter down a binomial tree, allgather round a ring", "log2 P + P - 1", "2 n"},
};

}  // namespace

constinit const Catalogue kBcastCatalogue = {Operation::kBcast, "bcast", kBcast};

}  // namespace pysmpi
