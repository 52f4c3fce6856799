// The scatter and scatterv algorithms: their names, communication patterns, numbers of rounds and bytes sent.
#include "collectives/scatter/scatter.hpp"

namespace pysmpi {

namespace {

constexpr NamedAlgorithm kScatter[] = {
    {"ompi_basic_linear", scatter_in_order, "the root sends to one rank after the other", "P - 1", "n (P - 1)"},
    {"ompi_linear_nb", scatter_linear, "the root sends to all at once", "1", "n (P - 1)"},
    {"ompi_binomial", scatter_binomial, "binomial tree", "log2 P", "n (P - 1)"},
    {"mvapich2_two_level_direct", scatter_two_level_in_order, "to one node after the other, then binomial tree on each",
     "nodes + log2 of a node's ranks", "n P"},
    {"mvapich2_two_level_binomial", scatter_two_level_binomial, "binomial tree of nodes, then one on each", "log2 P",
     "n P"},
};
constexpr NamedAlgorithm kScatterv[] = {
    {"linear", scatterv_linear, "the root to all at once", "1", "n (P - 1)"},
    {"ompi_basic_linear", scatterv_in_order, "the root sends to one rank after the other", "P - 1", "n (P - 1)"},
    {"openmpi_basic_linear", scatterv_openmpi_linear, "as ompi_basic_linear; nothing where there is no data", "P - 1",
     "n (P - 1)"},
    {"binomial", scatterv_binomial, "binomial tree: lengths, then blocks", "2 log2 P", "n (P - 1)"},
};

}  // namespace

constinit const Catalogue kScatterCatalogue = {Operation::kScatter, "scatter", kScatter};
constinit const Catalogue kScattervCatalogue = {Operation::kScatterv, "scatterv", kScatterv};

}  // namespace pysmpi
