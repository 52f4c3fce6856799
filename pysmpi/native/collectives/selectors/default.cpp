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
  static constexpr Algorithm kDefaults[] = {
      // in the order of the enumeration
      barrier_linear,
      bcast_binomial,
      default_reduce,
      default_allreduce,
      scan_linear,
      exscan_linear,
      default_reduce_scatter,
      gather_linear,
      gatherv_linear,
      scatter_linear,
      scatterv_linear,
      allgather_linear,
      allgatherv_linear,
      ompi_alltoall,
      alltoallv_linear,
      alltoallv_linear,  // of alltoallw, too
      neighbor_allgather_linear,
      neighbor_allgatherv_linear,
      neighbor_alltoall_linear,
      neighbor_alltoallv_linear,
      neighbor_alltoallw_linear,
  };
  static_assert(std::size(kDefaults) == kOperations);
  return kDefaults[static_cast<std::size_t>(operation)];
}

}  // namespace pysmpi
