// SMPI's `mpich` selector (SimGrid 3.32, src/smpi/colls/smpi_mpich_selector.cpp), after MPICH 3.
#include "collectives/allgather/allgather.hpp"
#include "collectives/allgatherv/allgatherv.hpp"
#include "collectives/allreduce/allreduce.hpp"
#include "collectives/alltoall/alltoall.hpp"
#include "collectives/barrier/barrier.hpp"
#include "collectives/bcast/bcast.hpp"
#include "collectives/gather/gather.hpp"
#include "collectives/nodes.hpp"
#include "collectives/reduce/reduce.hpp"
#include "collectives/reduce_scatter/reduce_scatter.hpp"
#include "collectives/scatter/scatter.hpp"
#include "collectives/selectors/selectors.hpp"
#include "collectives/sizes.hpp"

namespace pysmpi {

namespace {

// Returns whether the vector has at least as many elements as the largest power of two up to the number of ranks. Then
// each participant of a recursive halving gets a part of the vector.
bool has_parts(const Runner& run, const Arguments& args) { return args.receive_count >= power_of_two_up_to(run.size); }

}  // namespace

Schedule mpich_reduce(Runner& run, Arguments args) {
  if (!run.in_part()) {
    co_await discover_nodes(run);
    if (args.reduction.commutative) {
      co_await reduce_mvapich2_two_level(run, args);
      co_return;
    }
  }
  const bool in_parts = args.reduction.commutative && args.receive_bytes() >= 2048 && has_parts(run, args);
  co_await (in_parts ? reduce_scatter_gather : reduce_binomial)(run, args);
}

Schedule mpich_allreduce(Runner& run, Arguments args) {
  if (!run.in_part()) {
    co_await discover_nodes(run);
    if (args.reduction.commutative) {
      co_await allreduce_mvapich2_two_level(run, args);
      co_return;
    }
  }
  const bool in_parts = args.reduction.commutative && args.receive_bytes() > 2048 && has_parts(run, args);
  co_await (in_parts ? allreduce_rabenseifner : allreduce_recursive_doubling)(run, args);
}

Schedule mpich_barrier(Runner& run, Arguments args) { return barrier_bruck(run, args); }

// Uses SMPI's broadcast by nodes if all nodes have the same number of ranks. SMPI tests for an even number of ranks
// where MPICH tests for a power of two.
Schedule mpich_bcast(Runner& run, Arguments args) {
  if (!run.in_part()) {
    co_await discover_nodes(run);
    if (node_map(run.communicator()).uniform) {
      co_await bcast_nodes_binomial(run, args);
      co_return;
    }
  }
  const std::int64_t bytes = args.receive_bytes();
  if (bytes < 12 * kKiB || run.size <= 8) {
    co_await bcast_binomial(run, args);
  } else if (bytes < 512 * kKiB && run.size % 2 == 0) {
    co_await bcast_scatter_doubling_allgather(run, args);
  } else {
    co_await bcast_scatter_ring_allgather(run, args);
  }
}

// SMPI compares the number of elements, not bytes, with MPICH's limit of 512 KiB.
Schedule mpich_reduce_scatter(Runner& run, Arguments args) {
  const std::int32_t size = run.size;
  if (args.reduction.commutative && args.total_receive_count() > 512 * kKiB) return reduce_scatter_pairwise(run, args);
  if (!args.reduction.commutative && is_power_of_two(size) && args.has_equal_receive_counts()) {
    return reduce_scatter_halving_in_order(run, args);
  }
  return reduce_scatter_recursive_doubling(run, args);
}

Schedule mpich_allgather(Runner& run, Arguments args) {
  const std::int64_t bytes = run.size * args.send_bytes();
  if (is_power_of_two(run.size) && bytes < 512 * kKiB) return allgather_recursive_doubling(run, args);
  return (bytes <= 80 * kKiB ? allgather_bruck : allgather_by_distance)(run, args);
}

// SMPI compares the number of elements with the limits, where MPICH compares the number of bytes.
Schedule mpich_allgatherv(Runner& run, Arguments args) {
  const std::int64_t elements = args.total_receive_count();
  if (elements == 0) co_return;
  if (is_power_of_two(run.size) && elements < 512 * kKiB) {
    co_await allgatherv_recursive_doubling(run, args);
  } else {
    co_await (elements <= 80 * kKiB ? allgatherv_bruck : allgatherv_ring)(run, args);
  }
}

// SMPI tests for an odd number of ranks where MPICH tests for a power of two.
Schedule mpich_alltoall(Runner& run, Arguments args) {
  const std::int64_t bytes = args.send_bytes();
  if (bytes < 256 && run.size >= 8) return alltoall_bruck(run, args);
  if (bytes < 32 * kKiB) return alltoall_scatter_dest(run, args);
  return (run.size % 2 != 0 ? alltoall_pair : alltoall_ring)(run, args);
}

Algorithm mpich_selector(Operation operation) {
  static const Choices kChoices = {
      .barrier = mpich_barrier,
      .bcast = mpich_bcast,
      .reduce = mpich_reduce,
      .allreduce = mpich_allreduce,
      .reduce_scatter = mpich_reduce_scatter,
      .gather = gather_binomial,
      .scatter = scatter_binomial,
      .allgather = mpich_allgather,
      .allgatherv = mpich_allgatherv,
      .alltoall = mpich_alltoall,
      .alltoallv = alltoallv_batches,
  };
  return kChoices.of(operation);
}

}  // namespace pysmpi
