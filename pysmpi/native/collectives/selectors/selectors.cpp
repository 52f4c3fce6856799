// The list of selectors.
#include "collectives/selectors/selectors.hpp"

#include <iterator>

#include "collectives/libnbc/libnbc.hpp"

namespace pysmpi {

namespace {

constexpr Selector kSelectors[] = {
    {"default", default_selector},
    {"ompi", ompi_selector},
    {"mpich", mpich_selector},
    {"mvapich2", mvapich2_selector},
    {"impi", impi_selector},
    {"openmpi-4.0", openmpi40_selector, libnbc::schedule_of},
    {"openmpi-4.1", openmpi41_selector, libnbc::schedule_of},
    {"openmpi-5.0", openmpi50_selector, libnbc::schedule_of},
    {"mpich-4", mpich_tuned_selector, mpich_nonblocking},
    {"mpich-5", mpich_tuned_selector, mpich_nonblocking},
    {"impi-2021", impi2021_selector, mpich_nonblocking},
    {"best", best_selector},
};

}  // namespace

std::span<const Selector> selectors() { return kSelectors; }

Algorithm Choices::of(Operation operation) const {
  const Algorithm choices[] = {
      // in the order of the enumeration
      barrier,
      bcast,
      reduce,
      allreduce,
      scan,
      exscan,
      reduce_scatter,
      gather,
      gatherv,
      scatter,
      scatterv,
      allgather,
      allgatherv,
      alltoall,
      alltoallv,
      alltoallw,
      neighbor_allgather,
      neighbor_allgatherv,
      neighbor_alltoall,
      neighbor_alltoallv,
      neighbor_alltoallw,
  };
  static_assert(std::size(choices) == kOperations);
  const Algorithm choice = choices[static_cast<std::size_t>(operation)];
  return choice ? choice : default_selector(operation);
}

}  // namespace pysmpi
