// The scan and exscan algorithms: their names, communication patterns, numbers of rounds and bytes sent.
#include "collectives/scan/scan.hpp"

namespace pysmpi {

namespace {

constexpr NamedAlgorithm kScan[] = {
    {"linear", scan_linear, "each rank to all above it, all at once", "1", "n (P - 1)"},
    {"chain", scan_chain, "each rank to the next one", "P - 1", "n"},
    {"recursive_doubling", scan_recursive_doubling, "partners at doubling distance", "log2 P", "n log2 P"},
};
constexpr NamedAlgorithm kExscan[] = {
    {"linear", exscan_linear, "each rank to all above it, all at once", "1", "n (P - 1)"},
    {"chain", exscan_chain, "each rank to the next one", "P - 1", "n"},
    {"recursive_doubling", exscan_recursive_doubling, "partners at doubling distance", "log2 P", "n log2 P"},
};

}  // namespace

constinit const Catalogue kScanCatalogue = {Operation::kScan, "scan", kScan};
constinit const Catalogue kExscanCatalogue = {Operation::kExscan, "exscan", kExscan};

}  // namespace pysmpi
