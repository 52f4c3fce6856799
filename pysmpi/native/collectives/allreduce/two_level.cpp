// Two-level allreduce: in each node, then among the nodes (MVAPICH2).
#include "collectives/allreduce/allreduce.hpp"
#include "collectives/nodes.hpp"
#include "collectives/selectors/selectors.hpp"

namespace pysmpi {

Schedule allreduce_two_level(Runner& run, Arguments args, Algorithm within, Algorithm between) {
  const NodeMap& map = node_map(run.communicator());
  if (!run.in_part()) co_await discover_nodes(run);
  if (run.in_part() || (!args.reduction.commutative && !map.consecutive)) {
    note_fallback("allreduce", "mvapich2_two_level", "rdb",
                  "it runs inside another two-level algorithm, or the nodes' order would change the order of operands");
    co_await allreduce_recursive_doubling(run, args);
    co_return;
  }
  if (args.receive_count == 0) co_return;
  const bool leads = map.leads(run.rank);
  {
    const Runner::Part node(run, map.beside(run.rank));
    co_await within(run, args);
  }
  if (leads && map.nodes() > 1) {
    const Scratch of_node(args.receive_count, args.receive_type, args.receive);
    local_copy(args.receive, args.receive_count, args.receive_type, of_node.data(), args.receive_count,
               args.receive_type);
    Arguments part = args;
    part.send = of_node.data();
    const Runner::Part leaders(run, map.leaders);
    co_await between(run, part);
  }
  const Runner::Part node(run, map.beside(run.rank));
  args.root = 0;
  co_await collective(Operation::kBcast, run, args);
}

// MVAPICH2's two-level allreduce. Within each node it uses the algorithm that SMPI's defaults choose.
Schedule allreduce_mvapich2_two_level(Runner& run, Arguments args) {
  return allreduce_two_level(run, args, mpich_allreduce, allreduce_recursive_doubling);
}

}  // namespace pysmpi
