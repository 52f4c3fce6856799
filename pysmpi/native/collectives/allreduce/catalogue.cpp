// The allreduce algorithms: their names, communication patterns, numbers of rounds and bytes sent.
#include "collectives/allreduce/allreduce.hpp"

namespace pysmpi {

namespace {

constexpr NamedAlgorithm kAllreduce[] = {
    {"redbcast", allreduce_reduce_bcast, "reduce to rank 0, then broadcast", "sum of both", "sum of both"},
    {"rdb", allreduce_recursive_doubling, "recursive doubling", "log2 P", "n log2 P"},
    {"lr", allreduce_ring, "reduce-scatter and allgather round a ring", "2 (P - 1)", "2 n"},
    {"ompi_ring_segmented", allreduce_segmented_ring, "the ring with blocks of at most 1 MiB", "2 (P - 1) a segment",
     "2 n"},
    {"rab_rdb", allreduce_rabenseifner, "reduce-scatter by recursive halving, allgather by recursive doubling",
     "2 log2 P", "2 n"},
    {"mpich_rab", allreduce_mpich_rabenseifner, "like rab_rdb, with parts that differ by at most an element",
     "2 log2 P", "2 n"},
    {"rab", allreduce_rabenseifner_1997, "like rab_rdb, cut in halves instead of equal parts", "2 log2 P", "2 n"},
    {"rab1", allreduce_halving_allgather, "recursive halving with the largest distance first, then an allgather",
     "log2 P + allgather's", "n + allgather's"},
    {"rab2", allreduce_alltoall_allgather, "an alltoall, then an allgather", "sum of both", "sum of both"},
    {"mvapich2_rs", allreduce_parts_or_doubling, "rab_rdb, or rdb on fewer elements than ranks", "2 log2 P", "2 n"},
    {"mvapich2_two_level", allreduce_mvapich2_two_level, "in each node, then rdb among the nodes, then broadcasts",
     "sum of all three", "sum of all three"},
    {"smp_binomial", allreduce_smp_binomial, "binomial trees in the nodes and among them", "2 log2 P", "n log2 P"},
    {"smp_binomial_pipeline", allreduce_smp_pipeline, "smp_binomial in segments of 4,096 elements",
     "2 log2 P + segments", "n log2 P"},
    {"smp_rdb", allreduce_smp_doubling, "binomial trees in the nodes, recursive doubling among them", "2 log2 P",
     "n log2 P"},
    {"smp_rsag", allreduce_smp_ring, "binomial trees in the nodes, a ring among them", "2 nodes", "n log2 P"},
    {"smp_rsag_lr", allreduce_smp_ring, "binomial trees in the nodes, a ring among them", "2 nodes", "n log2 P"},
    {"smp_rsag_rab", allreduce_smp_rabenseifner, "binomial trees in the nodes, rab_rdb among them", "2 log2 P",
     "n log2 P"},
    {"openmpi_basic_linear", allreduce_linear, "all to rank 0, which reduces and sends the result to each", "P",
     "n (P - 1)"},
    {"openmpi_rdb", allreduce_openmpi_recursive_doubling, "recursive doubling with operands in the order of ranks",
     "log2 P", "n log2 P"},
    {"openmpi_ring", allreduce_openmpi_ring,
     "a ring of parts that differ by an element, or openmpi_rdb on fewer elements than ranks", "2 (P - 1)", "2 n"},
    {"openmpi_rabenseifner", allreduce_openmpi_rabenseifner,
     "rab, or openmpi_basic_linear on fewer elements than ranks", "2 log2 P", "2 n"},
    {"recursive-k", allreduce_recursive, "recursive doubling in groups of k", "logk P", "(k - 1) n logk P"},
    {"swing_latency", allreduce_swing_latency, "whole vectors to ranks on both sides at distances 1, 1, 3, 5, 11 ...",
     "log2 P", "n log2 P"},
    {"swing_bandwidth", allreduce_swing_bandwidth,
     "like swing_latency with one block per rank: reduce-scatter, then allgather", "2 log2 P", "2 n"},
    {"multilane", allreduce_multilane, "reduce-scatter in each node, allreduces across nodes, allgather in each node",
     "sum of all three", "sum of all three"},
};

}  // namespace

constinit const Catalogue kAllreduceCatalogue = {Operation::kAllreduce, "allreduce", kAllreduce};

}  // namespace pysmpi
