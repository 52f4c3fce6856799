#include "collectives/allgather/allgather.hpp"

namespace pysmpi {

namespace {

constexpr NamedAlgorithm kAllgather[] = {
    {"ring", allgather_by_distance, "to the rank i above, from the one i below", "P - 1", "n (P - 1)"},
    {"pair", allgather_pairwise, "partners by exclusive or", "P - 1", "n (P - 1)"},
    {"rdb", allgather_recursive_doubling, "recursive doubling", "log2 P", "n (P - 1)"},
    {"bruck", allgather_bruck, "Bruck: twice as many blocks a step, put in place at the end", "log2 P", "n (P - 1)"},
    {"ompi_neighborexchange", allgather_neighbour_exchange, "neighbours exchange two blocks a step", "P / 2",
     "n (P - 1)"},
};
constexpr NamedAlgorithm kAllgatherv[] = {
    {"linear", allgatherv_linear, "all to all at once", "1", "n (P - 1)"},
};

}  // namespace

constinit const Catalogue kAllgatherCatalogue = {Operation::kAllgather, "allgather", kAllgather};
constinit const Catalogue kAllgathervCatalogue = {Operation::kAllgatherv, "allgatherv", kAllgatherv};

}  // namespace pysmpi
