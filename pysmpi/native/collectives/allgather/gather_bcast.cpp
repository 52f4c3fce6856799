// Allgather as a gather to rank 0 followed by a broadcast.
#include "collectives/allgather/allgather.hpp"

namespace pysmpi {

Schedule allgather_gather_bcast(Runner& run, Arguments args) {
  args.root = 0;
  args.at_root = run.rank == 0;
  co_await collective(Operation::kGather, run, args);
  Arguments whole = args;
  whole.receive_count = run.size * args.receive_count;
  co_await collective(Operation::kBcast, run, whole);
}

}  // namespace pysmpi
