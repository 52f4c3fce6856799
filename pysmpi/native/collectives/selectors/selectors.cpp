#include "collectives/selectors/selectors.hpp"

namespace pysmpi {

namespace {

constexpr Selector kSelectors[] = {
    {"default", default_selector},
};

}  // namespace

std::span<const Selector> selectors() { return kSelectors; }

}  // namespace pysmpi
