// Two-level reductions: in each node, then among the nodes (MVAPICH2).
#include "collectives/nodes.hpp"
#include "collectives/reduce/reduce.hpp"
#include "collectives/selectors/selectors.hpp"

namespace pysmpi {

namespace {

// Reduces on a single node: linearly at its first rank if the vector has at most 2 KiB and the operation commutes,
// otherwise up a k-nomial tree.
Schedule reduce_on_node(Runner& run, Arguments args) {
  if (!args.reduction.commutative || args.receive_count * args.receive_extent() > 2048) {
    co_await reduce_knomial(run, args);
    co_return;
  }
  const int root = args.root;
  const Scratch passing(run.rank == 0 && root != 0 ? args.receive_count : 0, args.receive_type, args.send);
  void* const result = args.receive;
  args.root = 0;
  if (root != 0) args.receive = passing.data();
  co_await reduce_in_order(run, args);
  if (root == 0) co_return;
  if (run.rank == 0) co_await run.send_now(root, args.receive, args.receive_count, args.receive_type);
  if (run.rank == root) co_await run.receive_now(0, result, args.receive_count, args.receive_type);
}

}  // namespace

Schedule reduce_two_level(Runner& run, Arguments args, Algorithm within, Algorithm between) {
  const NodeMap& map = node_map(run.communicator());
  const bool leaders_only = run.in_part() && !on_one_node(run);
  if (!leaders_only) co_await discover_nodes(run);
  if (leaders_only || (!args.reduction.commutative && !map.consecutive)) {
    note_fallback("reduce", "mvapich2_two_level", "binomial",
                  "it runs among the leaders of another two-level algorithm, or the nodes' order would change the "
                  "order of operands");
    co_await reduce_binomial(run, args);
    co_return;
  }
  const int root = args.root, rank = run.rank, leader_of_root = map.leader_of(root);
  args.parameter = 0;
  if (on_one_node(run)) {
    co_await reduce_on_node(run, args);
    co_return;
  }
  const std::span<const std::int32_t> node = map.beside(rank);
  const bool leads = map.leads(rank), shares = node.size() > 1;
  const Scratch of_node(leads && shares ? args.receive_count : 0, args.receive_type, args.send);
  const Scratch passing(rank == leader_of_root && rank != root ? args.receive_count : 0, args.receive_type, args.send);
  Arguments part = args;
  if (shares) {
    // MVAPICH2 reduces linearly through shared memory, which has 128 KiB for each rank of the node. Vectors that do not
    // fit use a tree.
    const bool fits = args.receive_count * args.receive_extent() < static_cast<std::int64_t>(node.size()) << 17;
    part.root = 0;
    part.receive = of_node.data();
    const Runner::Part among(run, node);
    co_await (within == reduce_in_order && !fits ? reduce_knomial : within)(run, part);
    part.send = of_node.data();
  }
  if (leads) {
    part.root = map.node_of[root];
    part.receive = rank == root ? args.receive : passing.data();
    const Runner::Part among(run, map.leaders);
    co_await between(run, part);
  }
  if (leader_of_root == root) co_return;
  if (rank == leader_of_root) co_await run.send_now(root, passing.data(), args.receive_count, args.receive_type);
  if (rank == root) co_await run.receive_now(leader_of_root, args.receive, args.receive_count, args.receive_type);
}

// The two-level reduction with the algorithms that SMPI uses by default.
Schedule reduce_mvapich2_two_level(Runner& run, Arguments args) {
  return reduce_two_level(run, args, mpich_reduce, mpich_reduce);
}

}  // namespace pysmpi
