// The neighbourhood algorithms: their names, communication patterns, numbers of rounds and bytes sent.
#include "collectives/neighbourhood/neighbourhood.hpp"

namespace pysmpi {

namespace {

constexpr NamedAlgorithm kNeighborAllgather[] = {
    {"linear", neighbor_allgather_linear, "along all edges at once", "1", "n times the outgoing edges"},
    {"openmpi_linear", neighbor_allgather_openmpi, "the same with messages of ranks to themselves", "1",
     "n times the outgoing edges"},
};
constexpr NamedAlgorithm kNeighborAllgatherv[] = {
    {"linear", neighbor_allgatherv_linear, "along all edges at once", "1", "n times the outgoing edges"},
    {"openmpi_linear", neighbor_allgatherv_openmpi, "the same with messages of ranks to themselves", "1",
     "n times the outgoing edges"},
};
constexpr NamedAlgorithm kNeighborAlltoall[] = {
    {"linear", neighbor_alltoall_linear, "along all edges at once", "1", "n times the outgoing edges"},
    {"openmpi_linear", neighbor_alltoall_openmpi, "the same with messages of ranks to themselves", "1",
     "n times the outgoing edges"},
};
constexpr NamedAlgorithm kNeighborAlltoallv[] = {
    {"linear", neighbor_alltoallv_linear, "along all edges at once", "1", "n times the outgoing edges"},
    {"openmpi_linear", neighbor_alltoallv_openmpi, "the same with messages of ranks to themselves", "1",
     "n times the outgoing edges"},
};
constexpr NamedAlgorithm kNeighborAlltoallw[] = {
    {"linear", neighbor_alltoallw_linear, "along all edges at once", "1", "n times the outgoing edges"},
    {"openmpi_linear", neighbor_alltoallw_openmpi, "the same with messages of ranks to themselves", "1",
     "n times the outgoing edges"},
};

}  // namespace

constinit const Catalogue kNeighborAllgatherCatalogue = {Operation::kNeighborAllgather, "neighbor_allgather",
                                                         kNeighborAllgather};
constinit const Catalogue kNeighborAllgathervCatalogue = {Operation::kNeighborAllgatherv, "neighbor_allgatherv",
                                                          kNeighborAllgatherv};
constinit const Catalogue kNeighborAlltoallCatalogue = {Operation::kNeighborAlltoall, "neighbor_alltoall",
                                                        kNeighborAlltoall};
constinit const Catalogue kNeighborAlltoallvCatalogue = {Operation::kNeighborAlltoallv, "neighbor_alltoallv",
                                                         kNeighborAlltoallv};
constinit const Catalogue kNeighborAlltoallwCatalogue = {Operation::kNeighborAlltoallw, "neighbor_alltoallw",
                                                         kNeighborAlltoallw};

}  // namespace pysmpi
