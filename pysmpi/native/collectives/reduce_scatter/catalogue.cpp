#include "collectives/reduce_scatter/reduce_scatter.hpp"

namespace pysmpi {

namespace {

constexpr NamedAlgorithm kReduceScatter[] = {
    {"mpich_pair", reduce_scatter_pairwise, "each pair of ranks exchanges once, by distance", "P - 1", "n (P - 1)"},
    {"mpich_rdb", reduce_scatter_recursive_doubling, "recursive doubling", "log2 P", "n P log2 P"},
    {"mpich_noncomm", reduce_scatter_halving_in_order, "recursive halving of blocks put in mirrored order", "log2 P",
     "n (P - 1)"},
};

}  // namespace

constinit const Catalogue kReduceScatterCatalogue = {Operation::kReduceScatter, "reduce_scatter", kReduceScatter};

}  // namespace pysmpi
