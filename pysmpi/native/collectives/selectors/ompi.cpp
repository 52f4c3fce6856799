// SMPI's `ompi` selector (SimGrid 3.32, src/smpi/colls/smpi_openmpi_selector.cpp). The thresholds are Open MPI's fixed
// decision table (coll_tuned_decision_fixed.c of 4.1.2 and 5.0.9); SMPI has other algorithms for some of its choices.
#include "collectives/allreduce/allreduce.hpp"
#include "collectives/alltoall/alltoall.hpp"
#include "collectives/selectors/selectors.hpp"
#include "collectives/selectors/table.hpp"

namespace pysmpi {

Schedule ompi_allreduce(Runner& run, Arguments a) {
  constexpr Algorithm kTree = allreduce_reduce_bcast, kDoubling = allreduce_recursive_doubling, kRing = allreduce_ring,
                      kSegmented = allreduce_segmented_ring, kRabenseifner = allreduce_rabenseifner;
  static constexpr Row kInOrder[] = {
      {4, {{128 * kKiB, kDoubling}, {kAny, kTree}}},
      {8, {{kAny, kDoubling}}},
      {16, {{kMiB, kDoubling}, {kAny, kTree}}},
      {128, {{kAny, kDoubling}}},
      {256, {{128 * kKiB, kTree}, {512 * kKiB, kDoubling}, {kAny, kTree}}},
      {512, {{4 * kKiB, kTree}, {512 * kKiB, kDoubling}, {kAny, kTree}}},
      {kAny, {{2 * kKiB, kTree}, {kAny, kDoubling}}},
  };
  static constexpr Row kCommutative[] = {
      {4,
       {{8, kRing},
        {4 * kKiB, kDoubling},
        {8 * kKiB, kRing},
        {16 * kKiB, kDoubling},
        {64 * kKiB, kRing},
        {256 * kKiB, kSegmented},
        {kAny, kRabenseifner}}},
      {8, {{16, kRing}, {8 * kKiB, kDoubling}, {kAny, kRabenseifner}}},
      {16, {{8 * kKiB, kDoubling}, {kAny, kRabenseifner}}},
      {32, {{64, kSegmented}, {4 * kKiB, kDoubling}, {kAny, kRabenseifner}}},
      {64, {{128, kSegmented}, {kAny, kRabenseifner}}},
      {128, {{256 * kKiB, kDoubling}, {kAny, kRabenseifner}}},
      {256, {{128 * kKiB, kTree}, {256 * kKiB, kDoubling}, {kAny, kRabenseifner}}},
      {512, {{4 * kKiB, kTree}, {kAny, kRabenseifner}}},
      {2048, {{2 * kKiB, kTree}, {16 * kKiB, kDoubling}, {kAny, kRabenseifner}}},
      {4096, {{2 * kKiB, kTree}, {4 * kKiB, kSegmented}, {16 * kKiB, kDoubling}, {kAny, kRabenseifner}}},
      {kAny, {{2 * kKiB, kTree}, {16 * kKiB, kSegmented}, {32 * kKiB, kDoubling}, {kAny, kRabenseifner}}},
  };
  return (a.reduction.commutative ? look_up(kCommutative, run.size, a.receive_bytes())
                                  : look_up(kInOrder, run.size, a.receive_bytes()))(run, a);
}

Schedule ompi_alltoall(Runner& run, Arguments a) {
  constexpr Algorithm kLinear = alltoall_linear, kPairwise = alltoall_pairwise, kBruck = alltoall_bruck;
  static constexpr Row kTable[] = {
      {2, {{kAny, kLinear}}},
      {3,
       {{2, kPairwise},
        {4, kLinear},
        {16, kPairwise},
        {64, kLinear},
        {256, kPairwise},
        {4 * kKiB, kLinear},
        {32 * kKiB, kPairwise},
        {kMiB, kLinear},
        {kAny, kPairwise}}},
      {8, {{512 * kKiB, kLinear}, {kMiB, kPairwise}, {kAny, kLinear}}},
      {16, {{kAny, kLinear}}},
      {32, {{4, kLinear}, {512, kBruck}, {kAny, kLinear}}},
      {64, {{512, kBruck}, {kAny, kLinear}}},
      {256, {{kKiB, kBruck}, {256 * kKiB, kLinear}, {kAny, kPairwise}}},
      {512, {{kKiB, kBruck}, {32 * kKiB, kLinear}, {kAny, kPairwise}}},
      {1024, {{512, kBruck}, {256 * kKiB, kLinear}, {kAny, kPairwise}}},
      {2048, {{512, kBruck}, {kAny, kLinear}}},
      {4096, {{kKiB, kBruck}, {kAny, kLinear}}},
      {kAny, {{2 * kKiB, kBruck}, {kAny, kLinear}}},
  };
  return look_up(kTable, run.size, a.send_bytes())(run, a);
}

}  // namespace pysmpi
