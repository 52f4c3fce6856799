#include "collectives/bcast/bcast.hpp"

namespace pysmpi {

namespace {

constexpr NamedAlgorithm kBcast[] = {
    {"binomial_tree", bcast_binomial, "binomial tree", "log2 P", "n log2 P"},
    {"flattree", bcast_linear, "the root to all at once", "1", "n (P - 1)"},
    {"scatter_LR_allgather", bcast_scatter_ring_allgather, "scatter down a binomial tree, allgather round a ring",
     "log2 P + P - 1", "2 n"},
};

}  // namespace

constinit const Catalogue kBcastCatalogue = {Operation::kBcast, "bcast", kBcast};

}  // namespace pysmpi
