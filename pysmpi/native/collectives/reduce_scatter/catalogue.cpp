// The reduce_scatter algorithms: their names, communication patterns, numbers of rounds and bytes sent.
#include "collectives/reduce_scatter/reduce_scatter.hpp"

namespace pysmpi {

namespace {

constexpr NamedAlgorithm kReduceScatter[] = {
    {"ompi_basic_recursivehalving", reduce_scatter_openmpi_halving, "recursive halving, ranks far apart first",
     "log2 P", "n (P - 1)"},
    {"ompi_ring", reduce_scatter_ring, "each block once round the ring of ranks", "P - 1", "n (P - 1)"},
    {"openmpi_ring", reduce_scatter_openmpi_ring, "ompi_ring with operands in Open MPI's order", "P - 1", "n (P - 1)"},
    {"ompi_butterfly", reduce_scatter_butterfly, "recursive halving, neighbours first, then blocks to their ranks",
     "log2 P + 1", "n P"},
    {"ompi_nonoverlapping", reduce_scatter_nonoverlapping, "reduce to rank 0, then scatterv", "sum of both",
     "sum of both"},
    {"openmpi_block_linear", reduce_scatter_block_linear, "reduce to rank 0, then scatter", "sum of both",
     "sum of both"},
    {"mpich_pair", reduce_scatter_pairwise, "each pair of ranks exchanges once, by distance", "P - 1", "n (P - 1)"},
    {"mpich_rdb", reduce_scatter_recursive_doubling, "recursive doubling", "log2 P", "n P log2 P"},
    {"mpich_noncomm", reduce_scatter_halving_in_order, "recursive halving of blocks put in mirrored order", "log2 P",
     "n (P - 1)"},
    {"mpich_recursive_halving", reduce_scatter_mpich_halving, "recursive halving, ranks far apart first", "log2 P",
     "n (P - 1)"},
};

}  // namespace

constinit const Catalogue kReduceScatterCatalogue = {Operation::kReduceScatter, "reduce_scatter", kReduceScatter};

}  // namespace pysmpi
