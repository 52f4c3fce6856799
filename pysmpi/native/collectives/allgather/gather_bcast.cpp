// Allgather as a gather to rank 0 followed by a broadcast.
#include "collectives/allgather/allgather.hpp"

namespace pysmpi {

Schedule allgather_gather_bcast(Runner& run, Arguments a) {
  a.root = 0;
  a.at_root = run.rank == 0;
  co_await collective(Operation::kGather, run, a);
  Arguments whole = a;
  whole.receive_count = run.size * a.receive_count;
  co_await collective(Operation::kBcast, run, whole);
}

}  // namespace pysmpi
