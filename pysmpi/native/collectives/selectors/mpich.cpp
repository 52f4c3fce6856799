// SMPI's `mpich` selector (SimGrid 3.32, src/smpi/colls/smpi_mpich_selector.cpp), after MPICH 3.
#include "collectives/allgather/allgather.hpp"
#include "collectives/allgatherv/allgatherv.hpp"
#include "collectives/allreduce/allreduce.hpp"
#include "collectives/alltoall/alltoall.hpp"
#include "collectives/barrier/barrier.hpp"
#include "collectives/bcast/bcast.hpp"
#include "collectives/gather/gather.hpp"
#include "collectives/halving.hpp"
#include "collectives/nodes.hpp"
#include "collectives/reduce/reduce.hpp"
#include "collectives/reduce_scatter/reduce_scatter.hpp"
#include "collectives/scatter/scatter.hpp"
#include "collectives/selectors/selectors.hpp"
#include "collectives/selectors/table.hpp"

namespace pysmpi {

namespace {

// Returns whether there is at least one element for each rank of the largest power of two.
bool has_parts(const Runner& run, const Arguments& a) { return a.receive_count >= PowerOfTwo(Line(run), 0).power; }

bool is_power_of_two(std::int32_t number) { return (number & (number - 1)) == 0; }

}  // namespace

Schedule mpich_reduce(Runner& run, Arguments a) {
  if (!run.in_part()) {
    co_await discover_nodes(run);
    if (a.reduction.commutative) {
      co_await reduce_mvapich2_two_level(run, a);
      co_return;
    }
  }
  const bool in_parts = a.reduction.commutative && a.receive_bytes() >= 2048 && has_parts(run, a);
  co_await (in_parts ? reduce_scatter_gather : reduce_binomial)(run, a);
}

Schedule mpich_allreduce(Runner& run, Arguments a) {
  if (!run.in_part()) {
    co_await discover_nodes(run);
    if (a.reduction.commutative) {
      co_await allreduce_mvapich2_two_level(run, a);
      co_return;
    }
  }
  const bool in_parts = a.reduction.commutative && a.receive_bytes() > 2048 && has_parts(run, a);
  co_await (in_parts ? allreduce_rabenseifner : allreduce_recursive_doubling)(run, a);
}

Schedule mpich_barrier(Runner& run, Arguments a) { return barrier_bruck(run, a); }

// Uses SMPI's broadcast by nodes if all nodes have the same number of ranks. SMPI tests for an even number of ranks
// where MPICH tests for a power of two.
Schedule mpich_bcast(Runner& run, Arguments a) {
  if (!run.in_part()) {
    co_await discover_nodes(run);
    if (node_map(run.communicator()).uniform) {
      co_await bcast_nodes_binomial(run, a);
      co_return;
    }
  }
  const std::int64_t bytes = a.receive_bytes();
  if (bytes < 12 * kKiB || run.size <= 8) {
    co_await bcast_binomial(run, a);
  } else if (bytes < 512 * kKiB && run.size % 2 == 0) {
    co_await bcast_scatter_doubling_allgather(run, a);
  } else {
    co_await bcast_scatter_ring_allgather(run, a);
  }
}

// SMPI compares the number of elements, not bytes, with MPICH's limit of 512 KiB.
Schedule mpich_reduce_scatter(Runner& run, Arguments a) {
  const std::int32_t size = run.size;
  if (a.reduction.commutative && a.total_receive_count() > 512 * kKiB) return reduce_scatter_pairwise(run, a);
  if (!a.reduction.commutative && is_power_of_two(size) && a.has_equal_receive_counts()) {
    return reduce_scatter_halving_in_order(run, a);
  }
  return reduce_scatter_recursive_doubling(run, a);
}

Schedule mpich_allgather(Runner& run, Arguments a) {
  const std::int64_t bytes = run.size * a.send_bytes();
  if (is_power_of_two(run.size) && bytes < 512 * kKiB) return allgather_recursive_doubling(run, a);
  return (bytes <= 80 * kKiB ? allgather_bruck : allgather_by_distance)(run, a);
}

// SMPI compares the number of elements, not bytes, with the limits.
Schedule mpich_allgatherv(Runner& run, Arguments a) {
  const std::int64_t elements = a.total_receive_count();
  if (elements == 0) co_return;
  if (is_power_of_two(run.size) && elements < 512 * kKiB) {
    co_await allgatherv_recursive_doubling(run, a);
  } else {
    co_await (elements <= 80 * kKiB ? allgatherv_bruck : allgatherv_ring)(run, a);
  }
}

// SMPI tests for an odd number of ranks where MPICH tests for a power of two.
Schedule mpich_alltoall(Runner& run, Arguments a) {
  const std::int64_t bytes = a.send_bytes();
  if (bytes < 256 && run.size >= 8) return alltoall_bruck(run, a);
  if (bytes < 32 * kKiB) return alltoall_scatter_dest(run, a);
  return (run.size % 2 != 0 ? alltoall_pair : alltoall_ring)(run, a);
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
