#include "collectives/selectors/selectors.hpp"

namespace pysmpi {

namespace {

constexpr Selector kSelectors[] = {
    {"default", default_selector},       {"ompi", ompi_selector},      {"mpich", mpich_selector},
    {"mvapich2", mvapich2_selector},     {"impi", impi_selector},      {"openmpi-4.1", openmpi41_selector},
    {"openmpi-5.0", openmpi50_selector}, {"mpich-4", mpich4_selector}, {"best", best_selector},
};

}  // namespace

std::span<const Selector> selectors() { return kSelectors; }

}  // namespace pysmpi
