// Two-level allreduce: in each node, then among the nodes (MVAPICH2).
#include "collectives/allreduce/allreduce.hpp"
#include "collectives/nodes.hpp"
#include "collectives/selectors/selectors.hpp"

namespace pysmpi {

Schedule allreduce_two_level(Runner& run, Arguments a, Algorithm within, Algorithm between) {
  const NodeMap& map = node_map(run.communicator());
  if (!run.in_part()) co_await discover_nodes(run);
  if (run.in_part() || (!a.reduction.commutative && !map.consecutive)) {
    note_fallback("allreduce", "mvapich2_two_level", "rdb",
                  "it runs inside another two-level algorithm, or the nodes' order would change the order of operands");
    co_await allreduce_recursive_doubling(run, a);
    co_return;
  }
  if (a.receive_count == 0) co_return;
  const bool leads = map.leads(run.rank);
  {
    const Runner::Part node(run, map.beside(run.rank));
    co_await within(run, a);
  }
  if (leads && map.nodes() > 1) {
    const Scratch of_node(a.receive_count, a.receive_type, a.receive);
    copy(a.receive, a.receive_count, a.receive_type, of_node.data(), a.receive_count, a.receive_type);
    Arguments part = a;
    part.send = of_node.data();
    const Runner::Part leaders(run, map.leaders);
    co_await between(run, part);
  }
  const Runner::Part node(run, map.beside(run.rank));
  a.root = 0;
  co_await collective(Operation::kBcast, run, a);
}

// Within each node with the algorithm that SMPI's defaults choose.
Schedule allreduce_mvapich2_two_level(Runner& run, Arguments a) {
  return allreduce_two_level(run, a, mpich_allreduce, allreduce_recursive_doubling);
}

}  // namespace pysmpi
