// SMPI's `default` selector (SimGrid 3.32, src/smpi/colls/smpi_default_selector.cpp).
#include "collectives/allgather/allgather.hpp"
#include "collectives/allgatherv/allgatherv.hpp"
#include "collectives/allreduce/allreduce.hpp"
#include "collectives/alltoall/alltoall.hpp"
#include "collectives/barrier/barrier.hpp"
#include "collectives/bcast/bcast.hpp"
#include "collectives/gather/gather.hpp"
#include "collectives/neighbourhood/neighbourhood.hpp"
#include "collectives/reduce/reduce.hpp"
#include "collectives/reduce_scatter/reduce_scatter.hpp"
#include "collectives/scan/scan.hpp"
#include "collectives/scatter/scatter.hpp"
#include "collectives/selectors/selectors.hpp"

namespace pysmpi {

namespace {

// Returns whether SMPI treats the datatype as derived: its elements are not contiguous in memory, and it is not a pair
// type.
bool is_derived(std::int32_t type) {
  const Datatype& datatype = *find_datatype(type);
  return !datatype.contiguous && datatype.basic < Basic::kFloatInt;
}

Schedule default_reduce(Runner& run, Arguments args) {
  return (is_derived(args.receive_type) || !args.reduction.commutative ? reduce_in_order : reduce_at_root)(run, args);
}

// The schedule of each step is stored in a variable and cleared before the next step begins. A temporary of a co_await
// expression would stay in the coroutine frame, which would double the memory per rank.
Schedule reduce_and_bcast(Runner& run, Arguments args) {
  args.root = 0;
  Schedule step = default_reduce(run, args);
  co_await step;
  step.clear();
  step = bcast_binomial(run, args);
  co_await step;
}

Schedule default_allreduce(Runner& run, Arguments args) {
  return (is_derived(args.receive_type) ? ompi_allreduce : reduce_and_bcast)(run, args);
}

}  // namespace

Schedule default_reduce_scatter(Runner& run, Arguments args) {
  return args.has_equal_receive_counts() ? reduce_then_scatter(run, args, default_reduce)
                                         : mpich_reduce_scatter(run, args);
}

Algorithm default_selector(Operation operation) {
  switch (operation) {
    case Operation::kBarrier:
      return barrier_linear;
    case Operation::kBcast:
      return bcast_binomial;
    case Operation::kReduce:
      return default_reduce;
    case Operation::kAllreduce:
      return default_allreduce;
    case Operation::kScan:
      return scan_linear;
    case Operation::kExscan:
      return exscan_linear;
    case Operation::kReduceScatter:
      return default_reduce_scatter;
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
      return ompi_alltoall;
    case Operation::kAlltoallv:
      return alltoallv_linear;
    case Operation::kAlltoallw:
      return alltoallv_linear;
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
