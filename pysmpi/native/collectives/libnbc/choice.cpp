// Choice of libnbc's schedules by the number of ranks, the size of the vector and the operation (nbc_i*.c of Open MPI
// 5.0.10, with the defaults of all MCA variables).
#include <bit>

#include "base/observer.hpp"
#include "collectives/allreduce/allreduce.hpp"
#include "collectives/barrier/barrier.hpp"
#include "collectives/libnbc/libnbc.hpp"
#include "collectives/neighbourhood/neighbourhood.hpp"
#include "collectives/reduce/reduce.hpp"
#include "collectives/scan/scan.hpp"
#include "collectives/sizes.hpp"

namespace pysmpi::libnbc {

namespace {

constexpr std::int64_t kLongVector = 64 * kKiB;

Schedule nothing(Runner&, Arguments) { co_return; }

Schedule after_copy(Runner& run, Arguments args, Algorithm schedule) {
  co_await run.next_call();
  co_await schedule(run, args);
}

// Runs a schedule of the catalogue's operation. `copies`: its first round only copies data.
Schedule begin(const Catalogue& catalogue, const char* name, Runner& run, const Arguments& args, Algorithm schedule,
               bool copies = false) {
  if (observers) notify(&Observer::algorithm_selected, catalogue.option, name);
  return copies ? after_copy(run, args, schedule) : schedule(run, args);
}

// A vector that is reduced in place up a tree with an odd number of levels is copied first.
bool copies_in_tree(const Runner& run, const Arguments& args) {
  return args.in_place && std::bit_width(static_cast<std::uint32_t>(run.size - 1)) % 2 == 1;
}

Schedule choose_bcast(Runner& run, Arguments args) {
  if (args.receive_count == 0 && !args.persistent) return nothing(run, args);
  if (run.size <= 4) return begin(kBcastCatalogue, "libnbc_linear", run, args, bcast_linear);
  return begin(kBcastCatalogue, "libnbc_binomial", run, args, bcast_binomial);
}

Schedule choose_reduce(Runner& run, Arguments args) {
  if (args.receive_count == 0) return nothing(run, args);
  const bool commutes = args.reduction.commutative, at_root = run.rank == args.root;
  if (commutes && run.size > 2 && args.receive_count >= power_of_two_up_to(run.size)) {
    return begin(kReduceCatalogue, "libnbc_rabenseifner", run, args, reduce_openmpi_rabenseifner,
                 !at_root || !args.in_place);
  }
  if (commutes && run.size > 1 && run.size <= 4 && args.receive_bytes() >= kLongVector) {
    return begin(kReduceCatalogue, "libnbc_chain", run, args, reduce_chain);
  }
  return begin(kReduceCatalogue, "libnbc_binomial", run, args, reduce_binomial, at_root && copies_in_tree(run, args));
}

Schedule choose_allreduce(Runner& run, Arguments args) {
  if (args.receive_count == 0) return nothing(run, args);
  if (run.size < 4 || args.receive_bytes() < kLongVector || !args.reduction.commutative || args.in_place) {
    return begin(kAllreduceCatalogue, "libnbc_binomial", run, args, allreduce_binomial, copies_in_tree(run, args));
  }
  if (args.receive_count >= power_of_two_up_to(run.size)) {
    return begin(kAllreduceCatalogue, "libnbc_rabenseifner", run, args, allreduce_openmpi_rabenseifner, true);
  }
  return begin(kAllreduceCatalogue, "libnbc_ring", run, args, allreduce_ring);
}

Schedule choose_reduce_scatter(Runner& run, Arguments args) {
  return (args.total_receive_count() == 0 ? nothing : reduce_scatter)(run, args);
}

Schedule choose_scan(Runner& run, Arguments args) {
  return (args.receive_count == 0 ? nothing : scan_chain)(run, args);
}

// A nonblocking call copies the rank's own block before the schedule begins, a persistent one in the first round.
template <Algorithm schedule>
Schedule choose_allgather(Runner& run, Arguments args) {
  return args.persistent && !args.in_place ? after_copy(run, args, schedule) : schedule(run, args);
}

Schedule choose_alltoall(Runner& run, Arguments args) {
  return (args.in_place ? alltoall_in_place : alltoall)(run, args);
}

}  // namespace

Algorithm schedule_of(Operation operation, bool between_groups) {
  static constexpr Algorithm kSchedules[] = {
      // in the order of the enumeration
      barrier_bruck,
      choose_bcast,
      choose_reduce,
      choose_allreduce,
      choose_scan,
      exscan_chain,
      choose_reduce_scatter,
      gather,
      gather,
      scatter,
      scatter,
      choose_allgather<allgather>,
      choose_allgather<allgatherv>,
      choose_alltoall,
      choose_alltoall,
      choose_alltoall,
      neighbor_allgather_openmpi,
      neighbor_allgatherv_openmpi,
      neighbor_alltoall_openmpi,
      neighbor_alltoallv_openmpi,
      neighbor_alltoallw_openmpi,
  };
  static_assert(std::size(kSchedules) == kOperations);
  return between_groups ? schedule_between_groups(operation) : kSchedules[static_cast<std::size_t>(operation)];
}

}  // namespace pysmpi::libnbc
