#include "collectives/reduce/reduce.hpp"

namespace pysmpi {

namespace {

constexpr NamedAlgorithm kReduce[] = {
    {"ompi_basic_linear", reduce_in_order, "the root takes one rank after the other, the last first", "P - 1", "n"},
    {"flat_tree", reduce_in_order, "the root takes one rank after the other, the last first", "P - 1", "n"},
    {"binomial", reduce_binomial, "binomial tree", "log2 P", "n"},
};

}  // namespace

constinit const Catalogue kReduceCatalogue = {Operation::kReduce, "reduce", kReduce};

}  // namespace pysmpi
