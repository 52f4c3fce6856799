// The list of selectors.
#include "collectives/selectors/selectors.hpp"

namespace pysmpi {

namespace {

constexpr Selector kSelectors[] = {
    {"default", default_selector},
    {"ompi", ompi_selector},
    {"mpich", mpich_selector},
    {"mvapich2", mvapich2_selector},
    {"impi", impi_selector},
    {"openmpi-4.0", openmpi40_selector},
    {"openmpi-4.1", openmpi41_selector},
    {"openmpi-5.0", openmpi50_selector},
    {"mpich-4", mpich4_selector},
    {"best", best_selector},
};

}  // namespace

std::span<const Selector> selectors() { return kSelectors; }

Algorithm Choices::of(Operation operation) const {
  switch (operation) {
    case Operation::kBarrier:
      return barrier;
    case Operation::kBcast:
      return bcast;
    case Operation::kReduce:
      return reduce;
    case Operation::kAllreduce:
      return allreduce;
    case Operation::kReduceScatter:
      return reduce_scatter;
    case Operation::kGather:
      return gather;
    case Operation::kScatter:
      return scatter;
    case Operation::kAllgather:
      return allgather;
    case Operation::kAllgatherv:
      return allgatherv;
    case Operation::kAlltoall:
      return alltoall;
    case Operation::kAlltoallv:
      return alltoallv;
    default:
      return default_selector(operation);
  }
}

}  // namespace pysmpi
