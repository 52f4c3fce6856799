#include "collectives/registry.hpp"

#include <array>
#include <cstring>

#include "collectives/algorithms.hpp"
#include "collectives/control.h"

namespace pysmpi {

namespace {

struct RegisteredAlgorithm {
  Operation operation;
  const char* name;
  Algorithm run;
  bool (*fits)(const Arguments& a, std::int32_t size);  // null: all calls; the selector decides where it does not
};

bool is_commutative(const Arguments& a, std::int32_t) { return a.reduction.commutative; }

bool is_power_of_two_with_equal_counts(const Arguments& a, std::int32_t size) {
  for (int i = 1; i < size; ++i) {
    if (a.receive_count_of(i) != a.receive_count_of(0)) return false;
  }
  return (size & (size - 1)) == 0;
}

constexpr RegisteredAlgorithm kAlgorithms[] = {
    {Operation::kBarrier, "ompi_basic_linear", barrier_linear, nullptr},
    {Operation::kBarrier, "ompi_two_procs", barrier_recursive_doubling, nullptr},
    {Operation::kBarrier, "ompi_tree", barrier_tree, nullptr},
    {Operation::kBarrier, "ompi_bruck", barrier_bruck, nullptr},
    {Operation::kBarrier, "ompi_recursivedoubling", barrier_recursive_doubling, nullptr},
    {Operation::kBarrier, "ompi_doublering", barrier_double_ring, nullptr},
    {Operation::kBcast, "binomial_tree", bcast_binomial, nullptr},
    {Operation::kBcast, "flattree", bcast_linear, nullptr},
    {Operation::kReduce, "ompi_basic_linear", reduce_in_order, nullptr},
    {Operation::kReduce, "flat_tree", reduce_in_order, nullptr},
    {Operation::kReduce, "binomial", reduce_binomial, nullptr},
    {Operation::kAllreduce, "redbcast", allreduce_reduce_bcast, nullptr},
    {Operation::kAllreduce, "rdb", allreduce_recursive_doubling, nullptr},
    {Operation::kAllreduce, "lr", allreduce_ring, is_commutative},
    {Operation::kAllreduce, "ompi_ring_segmented", allreduce_segmented_ring, is_commutative},
    {Operation::kAllreduce, "rab_rdb", allreduce_rabenseifner, is_commutative},
    {Operation::kReduceScatter, "mpich_pair", reduce_scatter_pairwise, is_commutative},
    {Operation::kReduceScatter, "mpich_rdb", reduce_scatter_recursive_doubling, nullptr},
    {Operation::kReduceScatter, "mpich_noncomm", reduce_scatter_halving_in_order, is_power_of_two_with_equal_counts},
    {Operation::kGather, "ompi_basic_linear", gather_in_order, nullptr},
    {Operation::kGather, "ompi_binomial", gather_binomial, nullptr},
    {Operation::kScatter, "ompi_basic_linear", scatter_in_order, nullptr},
    {Operation::kScatter, "ompi_linear_nb", scatter_linear, nullptr},
    {Operation::kScatter, "ompi_binomial", scatter_binomial, nullptr},
    {Operation::kAllgather, "ring", allgather_by_distance, nullptr},
    {Operation::kAllgather, "pair", allgather_pairwise, nullptr},
    {Operation::kAllgather, "rdb", allgather_recursive_doubling, nullptr},
    {Operation::kAllgather, "bruck", allgather_bruck, nullptr},
    {Operation::kAllgather, "ompi_neighborexchange", allgather_neighbour_exchange, nullptr},
    {Operation::kAlltoall, "basic_linear", alltoall_linear, nullptr},
    {Operation::kAlltoall, "pair", alltoall_pairwise, nullptr},
    {Operation::kAlltoall, "bruck", alltoall_bruck, nullptr},
    {Operation::kAlltoallv, "ompi_basic_linear", alltoallv_linear, nullptr},
};

struct OptionName {
  Operation operation;
  const char* name;
};
constexpr OptionName kOptions[] = {
    {Operation::kBarrier, "barrier"},       {Operation::kBcast, "bcast"},
    {Operation::kReduce, "reduce"},         {Operation::kAllreduce, "allreduce"},
    {Operation::kGather, "gather"},         {Operation::kReduceScatter, "reduce_scatter"},
    {Operation::kScatter, "scatter"},       {Operation::kAllgather, "allgather"},
    {Operation::kAllgatherv, "allgatherv"}, {Operation::kAlltoall, "alltoall"},
    {Operation::kAlltoallv, "alltoallv"},
};

const char* option_name(Operation operation) {
  for (const OptionName& option : kOptions) {
    if (option.operation == operation) return option.name;
  }
  return "";
}

std::array<const RegisteredAlgorithm*, static_cast<std::size_t>(Operation::kNeighborAlltoallw) + 1>
    chosen;  // by operation

}  // namespace

Algorithm chosen_algorithm(Operation operation, const Arguments& a, std::int32_t size) {
  const RegisteredAlgorithm* choice = chosen[static_cast<std::size_t>(operation)];
  return choice && (!choice->fits || choice->fits(a, size)) ? choice->run : nullptr;
}

}  // namespace pysmpi

using namespace pysmpi;

int32_t pysmpi_choose_algorithm(const char* operation, const char* name) {
  for (const RegisteredAlgorithm& algorithm : kAlgorithms) {
    if (std::strcmp(option_name(algorithm.operation), operation) == 0 && std::strcmp(algorithm.name, name) == 0) {
      chosen[static_cast<std::size_t>(algorithm.operation)] = &algorithm;
      return 0;
    }
  }
  return -1;
}

void pysmpi_choose_no_algorithms(void) { chosen.fill(nullptr); }

const char* pysmpi_algorithm_name(const char* operation, int32_t index) {
  for (const RegisteredAlgorithm& algorithm : kAlgorithms) {
    if (std::strcmp(option_name(algorithm.operation), operation) == 0 && index-- == 0) return algorithm.name;
  }
  return nullptr;
}
