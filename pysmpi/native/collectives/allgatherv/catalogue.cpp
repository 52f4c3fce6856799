// The allgatherv algorithms: their names, communication patterns, numbers of rounds and bytes sent.
#include "collectives/allgatherv/allgatherv.hpp"

namespace pysmpi {

namespace {

constexpr NamedAlgorithm kAllgatherv[] = {
    {"linear", allgatherv_linear, "all to all at once", "1", "n (P - 1)"},
    {"GB", allgatherv_gather_bcast, "gatherv at rank 0, then bcast", "sum of both", "sum of both"},
    {"ring", allgatherv_by_distance, "to the rank i above, from the one i below", "P - 1", "n (P - 1)"},
    {"pair", allgatherv_pairwise, "partners by exclusive or", "P - 1", "n (P - 1)"},
    {"ompi_neighborexchange", allgatherv_neighbour_exchange, "neighbours exchange two blocks a step", "P / 2",
     "n (P - 1)"},
    {"ompi_bruck", allgatherv_bruck, "Bruck: twice as many blocks a step", "log2 P", "n (P - 1)"},
    {"mpich_rdb", allgatherv_recursive_doubling, "recursive doubling", "log2 P", "n (P - 1)"},
    {"mpich_ring", allgatherv_ring, "blocks go round in pieces of at least 256 KiB", "P - 1", "n (P - 1)"},
    {"openmpi_ring", allgatherv_openmpi_ring, "whole blocks go round, empty ones, too", "P - 1", "n (P - 1)"},
};

}  // namespace

constinit const Catalogue kAllgathervCatalogue = {Operation::kAllgatherv, "allgatherv", kAllgatherv};

}  // namespace pysmpi
