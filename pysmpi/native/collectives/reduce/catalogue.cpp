// The reduce algorithms: their names, communication patterns, numbers of rounds and bytes sent.
#include "collectives/reduce/reduce.hpp"

namespace pysmpi {

namespace {

constexpr NamedAlgorithm kReduce[] = {
    {"ompi_basic_linear", reduce_in_order, "the root receives from one rank after the other, the last first", "P - 1",
     "n"},
    {"flat_tree", reduce_in_order, "the root receives from one rank after the other, the last first", "P - 1", "n"},
    {"binomial", reduce_binomial, "binomial tree", "log2 P", "n"},
    {"mvapich2_knomial", reduce_knomial, "4-nomial tree, all children at once", "log4 P", "n"},
    {"knomial-k", reduce_knomial, "k-nomial tree, all children at once", "logk P", "n"},
    {"ompi_chain", reduce_chains, "P / 2 chains, at most 32, in segments of 64 KiB", "P / chains + segments", "n"},
    {"ompi_pipeline", reduce_pipeline, "a chain, in segments of 1, 32 or 64 KiB", "P + segments", "n"},
    {"ompi_binary", reduce_binary, "binary tree, in segments of 32 KiB", "2 (log2 P + segments)", "n"},
    {"ompi_binomial", reduce_segmented_binomial, "binomial tree, in segments of 1 KiB on many ranks",
     "log2 P + segments", "n"},
    {"ompi_in_order_binary", reduce_in_order_binary, "binary tree that keeps the order of operands", "2 log2 P", "n"},
    {"openmpi_chain", reduce_openmpi_chain, "a chain", "P - 1", "n"},
    {"openmpi_binary", reduce_openmpi_binary, "binary tree", "2 log2 P", "n"},
    {"openmpi_in_order_binary", reduce_openmpi_in_order_binary, "binary tree that keeps the order of operands",
     "2 log2 P", "n"},
    {"openmpi_binomial", reduce_openmpi_binomial, "binomial tree, receiving from the next child meanwhile", "log2 P",
     "n"},
    {"NTSL", reduce_star_chain, "a chain down the ranks, in segments of 8 KiB", "P + segments", "n"},
    {"arrival_pattern_aware", reduce_by_arrival, "chains of the ranks that have entered, in segments of 8 KiB",
     "3 P + segments, and rank 0's probes", "n"},
    {"scatter_gather", reduce_scatter_gather, "reduce-scatter by recursive halving, gather up a binomial tree",
     "2 log2 P", "2 n"},
    {"mpich_scatter_gather", reduce_mpich_scatter_gather, "scatter_gather as in MPICH 4", "2 log2 P", "2 n"},
    {"openmpi_rabenseifner", reduce_openmpi_rabenseifner, "scatter_gather as in Open MPI", "2 log2 P", "2 n"},
    {"rab", reduce_rabenseifner_1997, "scatter_gather with all ranks taking part in all steps of the gather",
     "2 log2 P", "2 n"},
    {"mvapich2_two_level", reduce_mvapich2_two_level, "in each node, then among the nodes", "sum of both",
     "sum of both"},
};

}  // namespace

constinit const Catalogue kReduceCatalogue = {Operation::kReduce, "reduce", kReduce};

}  // namespace pysmpi
