#include "collectives/scan/scan.hpp"

namespace pysmpi {

namespace {

constexpr NamedAlgorithm kScan[] = {
    {"linear", scan_linear, "each rank to all above it, all at once", "1", "n (P - 1)"},
};
constexpr NamedAlgorithm kExscan[] = {
    {"linear", exscan_linear, "each rank to all above it, all at once", "1", "n (P - 1)"},
};

}  // namespace

constinit const Catalogue kScanCatalogue = {Operation::kScan, "scan", kScan};
constinit const Catalogue kExscanCatalogue = {Operation::kExscan, "exscan", kExscan};

}  // namespace pysmpi
