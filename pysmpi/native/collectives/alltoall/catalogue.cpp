#include "collectives/alltoall/alltoall.hpp"

namespace pysmpi {

namespace {

constexpr NamedAlgorithm kAlltoall[] = {
    {"basic_linear", alltoall_linear, "all to all at once", "1", "n (P - 1)"},
    {"pair", alltoall_pairwise, "partners by exclusive or; no power of two: by distance", "P - 1", "n (P - 1)"},
    {"bruck", alltoall_bruck, "Bruck: each block goes the powers of two that sum up to its distance", "log2 P",
     "n P / 2 log2 P"},
};
constexpr NamedAlgorithm kAlltoallv[] = {
    {"ompi_basic_linear", alltoallv_linear, "all to all at once", "1", "n (P - 1)"},
};
constexpr NamedAlgorithm kAlltoallw[] = {
    {"linear", alltoallw_linear, "all to all at once", "1", "n (P - 1)"},
};

}  // namespace

constinit const Catalogue kAlltoallCatalogue = {Operation::kAlltoall, "alltoall", kAlltoall};
constinit const Catalogue kAlltoallvCatalogue = {Operation::kAlltoallv, "alltoallv", kAlltoallv};
constinit const Catalogue kAlltoallwCatalogue = {Operation::kAlltoallw, "alltoallw", kAlltoallw};

}  // namespace pysmpi
