// The gather and gatherv algorithms: their names, communication patterns, numbers of rounds and bytes sent.
#include "collectives/gather/gather.hpp"

namespace pysmpi {

namespace {

constexpr NamedAlgorithm kGather[] = {
    {"ompi_basic_linear", gather_in_order, "the root receives from one rank after the other", "P - 1", "n"},
    {"ompi_binomial", gather_binomial, "binomial tree", "log2 P", "n P / 2"},
    {"ompi_linear_sync", gather_in_turns, "the root asks one rank after the other", "2 (P - 1)", "n"},
    {"mvapich2_two_level", gather_two_level, "binomial tree on each node, then one node after the other",
     "log2 of a node's ranks + nodes", "n times a node's ranks"},
};
constexpr NamedAlgorithm kGatherv[] = {
    {"linear", gatherv_linear, "all to the root at once", "1", "n"},
    {"ompi_basic_linear", gatherv_in_order, "the root receives from one rank after the other", "P - 1", "n"},
    {"openmpi_basic_linear", gatherv_openmpi_linear, "as ompi_basic_linear; nothing where there is no data", "P - 1",
     "n"},
    {"binomial", gatherv_binomial, "binomial tree: lengths, then blocks", "2 log2 P", "n P / 2"},
};

}  // namespace

constinit const Catalogue kGatherCatalogue = {Operation::kGather, "gather", kGather};
constinit const Catalogue kGathervCatalogue = {Operation::kGatherv, "gatherv", kGatherv};

}  // namespace pysmpi
