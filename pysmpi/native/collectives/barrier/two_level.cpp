// MPICH's two-level barrier: a barrier in each node, a barrier among the nodes' first ranks, and a broadcast of one
// byte in each node, which releases the other ranks.
#include "collectives/barrier/barrier.hpp"
#include "collectives/nodes.hpp"
#include "collectives/selectors/selectors.hpp"

namespace pysmpi {

Schedule barrier_two_level(Runner& run, Arguments args) {
  if (run.in_part()) {
    co_await mpich_barrier(run, args);
    co_return;
  }
  co_await discover_nodes(run);
  const NodeMap& map = node_map(run.communicator());
  char release = 0;
  Arguments byte;
  byte.receive = &release;
  byte.receive_count = 1;
  byte.receive_type = kByte;
  const bool leads = map.leads(run.rank);
  {
    const Runner::Part node(run, map.beside(run.rank));
    co_await mpich_barrier(run, args);
  }
  if (leads) {
    const Runner::Part leaders(run, map.leaders);
    co_await mpich_barrier(run, args);
  }
  const Runner::Part node(run, map.beside(run.rank));
  co_await mpich_bcast(run, byte);
}

}  // namespace pysmpi
