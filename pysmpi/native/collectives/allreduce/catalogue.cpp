#include "collectives/allreduce/allreduce.hpp"

namespace pysmpi {

namespace {

constexpr NamedAlgorithm kAllreduce[] = {
    {"redbcast", allreduce_reduce_bcast, "reduce to rank 0, then broadcast", "of both", "of both"},
    {"rdb", allreduce_recursive_doubling, "recursive doubling", "log2 P", "n log2 P"},
    {"lr", allreduce_ring, "reduce-scatter and allgather round a ring", "2 (P - 1)", "2 n"},
    {"ompi_ring_segmented", allreduce_segmented_ring, "the ring, a mebibyte a block at a time", "2 (P - 1) a segment",
     "2 n"},
    {"rab_rdb", allreduce_rabenseifner, "reduce-scatter by recursive halving, allgather by recursive doubling",
     "2 log2 P", "2 n"},
};

}  // namespace

constinit const Catalogue kAllreduceCatalogue = {Operation::kAllreduce, "allreduce", kAllreduce};

}  // namespace pysmpi
