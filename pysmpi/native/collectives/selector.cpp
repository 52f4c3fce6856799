// SMPI's `default` selector (SimGrid 3.32, src/smpi/colls/smpi_default_selector.cpp), and the parts of its `ompi` and
// `mpich` selectors that it turns to. The thresholds are Open MPI's fixed decision table (coll_tuned_decision_fixed.c).
#include "collectives/selector.hpp"

#include <limits>

#include "collectives/algorithms.hpp"
#include "collectives/registry.hpp"

namespace pysmpi {

namespace {

constexpr std::int64_t kKiB = 1024, kMiB = 1024 * kKiB, kAny = std::numeric_limits<std::int64_t>::max();

// Rows by number of ranks, each with rules by message size: the first whose limit is above the value applies.
struct Rule {
  std::int64_t bytes_below;
  Algorithm algorithm;
};
struct Row {
  std::int64_t ranks_below;
  Rule rules[12];
};

template <std::size_t rows>
Algorithm look_up(const Row (&table)[rows], std::int64_t ranks, std::int64_t bytes) {
  const Row* row = table;
  while (ranks >= row->ranks_below) ++row;
  const Rule* rule = row->rules;
  while (bytes >= rule->bytes_below) ++rule;
  return rule->algorithm;
}

Algorithm openmpi_allreduce(const Arguments& a, std::int32_t size) {
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
  return a.reduction.commutative ? look_up(kCommutative, size, a.receive_bytes())
                                 : look_up(kInOrder, size, a.receive_bytes());
}

Algorithm openmpi_alltoall(const Arguments& a, std::int32_t size) {
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
  return look_up(kTable, size, a.send_bytes());
}

bool has_equal_counts(const Arguments& a, std::int32_t size) {
  for (int i = 1; a.receive_counts && i < size; ++i) {
    if (a.receive_count_of(i) != a.receive_count_of(0)) return false;
  }
  return true;
}

// SMPI compares elements, not bytes, with MPICH's 512 KiB.
Algorithm mpich_reduce_scatter(const Arguments& a, std::int32_t size) {
  std::int64_t elements = 0;
  for (int i = 0; i < size; ++i) elements += a.receive_count_of(i);
  if (a.reduction.commutative && elements > 512 * kKiB) return reduce_scatter_pairwise;
  const bool power_of_two = (size & (size - 1)) == 0;
  if (!a.reduction.commutative && power_of_two && has_equal_counts(a, size)) return reduce_scatter_halving_in_order;
  return reduce_scatter_recursive_doubling;
}

// What SMPI calls a derived datatype: one whose elements are not a block of memory.
bool is_derived(std::int32_t type) {
  const Datatype& datatype = *find_datatype(type);
  return !datatype.contiguous && datatype.basic < Basic::kFloatInt;
}

}  // namespace

Algorithm select_algorithm(Operation operation, const Arguments& a, std::int32_t size) {
  if (const Algorithm chosen = chosen_algorithm(operation, a, size)) return chosen;
  switch (operation) {
    case Operation::kBarrier:
      return barrier_linear;
    case Operation::kBcast:
      return bcast_binomial;
    case Operation::kReduce:
      return is_derived(a.receive_type) || !a.reduction.commutative ? reduce_in_order : reduce_at_root;
    case Operation::kAllreduce:
      return is_derived(a.receive_type) ? openmpi_allreduce(a, size) : allreduce_reduce_bcast;
    case Operation::kScan:
      return scan_linear;
    case Operation::kExscan:
      return exscan_linear;
    case Operation::kReduceScatter:
      return has_equal_counts(a, size) ? reduce_scatter_reduce_scatter : mpich_reduce_scatter(a, size);
    case Operation::kGather:
      return gather_linear;
    case Operation::kGatherv:
      return gatherv_linear;
    case Operation::kScatter:
      return scatter_linear;
    case Operation::kScatterv:
      return scatterv_linear;
    case Operation::kAllgather:
      return allgather_linear;
    case Operation::kAllgatherv:
      return allgatherv_linear;
    case Operation::kAlltoall:
      return openmpi_alltoall(a, size);
    case Operation::kAlltoallv:
      return alltoallv_linear;
    case Operation::kAlltoallw:
      return alltoallw_linear;
    case Operation::kNeighborAllgather:
      return neighbor_allgather_linear;
    case Operation::kNeighborAllgatherv:
      return neighbor_allgatherv_linear;
    case Operation::kNeighborAlltoall:
      return neighbor_alltoall_linear;
    case Operation::kNeighborAlltoallv:
      return neighbor_alltoallv_linear;
    case Operation::kNeighborAlltoallw:
      return neighbor_alltoallw_linear;
  }
  __builtin_unreachable();
}

}  // namespace pysmpi
