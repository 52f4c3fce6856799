// Multi-lane allreduce (Träff and Hunold, "Decomposing MPI Collectives for Exploiting Multi-lane Communication",
// CLUSTER 2020): all ranks of a node send to other nodes at the same time, each its part of the vector.
#include <algorithm>
#include <vector>

#include "collectives/allreduce/allreduce.hpp"
#include "collectives/nodes.hpp"

namespace pysmpi {

namespace {

// Division of the vector among the ranks of a node: rank i has `counts[i]` elements from `begins[i]` on.
struct Shares {
  std::vector<std::int64_t> counts, begins;
  Shares(std::int64_t elements, int ranks) : counts(ranks, elements / ranks), begins(ranks) {
    for (int i = 0; i < elements % ranks; ++i) ++counts[i];
    for (int i = 1; i < ranks; ++i) begins[i] = begins[i - 1] + counts[i - 1];
  }
};

}  // namespace

// A reduce-scatter in each node, an allreduce in each lane (the ranks with the same position in all nodes), and an
// allgather in each node. All nodes must have the same number of ranks.
Schedule allreduce_multilane(Runner& run, Arguments args) {
  const NodeMap& map = node_map(run.communicator());
  if (!args.reduction.commutative || !map.uniform || run.in_part()) {
    note_fallback(
        "allreduce", "multilane", "rdb",
        "the operation is not commutative, nodes differ in size, or it runs inside another two-level algorithm");
    co_await allreduce_recursive_doubling(run, args);
    co_return;
  }
  co_await discover_nodes(run);
  const std::span<const std::int32_t> node = map.beside(run.rank);
  const int cores = static_cast<int>(node.size());
  const int lane = static_cast<int>(std::find(node.begin(), node.end(), run.rank) - node.begin());
  std::vector<std::int32_t> others(map.nodes());
  for (int i = 0; i < map.nodes(); ++i) others[i] = map.on_node(i)[lane];
  const Shares shares(args.receive_count, cores);
  const std::int64_t mine = shares.counts[lane];
  const Scratch of_node(mine, args.receive_type, args.receive);
  char* const own = args.receive_at(shares.begins[lane]);
  {
    const Runner::Part part(run, node);
    Arguments reduce_scatter = args;
    reduce_scatter.receive = of_node.data();
    reduce_scatter.receive_counts = shares.counts.data();
    reduce_scatter.receive_blocks = cores;
    co_await collective(Operation::kReduceScatter, run, reduce_scatter);
  }
  {
    const Runner::Part part(run, others);
    Arguments allreduce = args;
    allreduce.send = of_node.data();
    allreduce.receive = own;
    allreduce.receive_count = mine;
    co_await allreduce_parts_or_doubling(run, allreduce);
  }
  const Runner::Part part(run, node);
  Arguments gather;
  gather.send = own;
  gather.send_count = mine;
  gather.receive = args.receive;
  gather.send_type = gather.receive_type = args.receive_type;
  gather.receive_counts = shares.counts.data();
  gather.receive_displacements = shares.begins.data();
  gather.receive_blocks = cores;
  co_await collective(Operation::kAllgatherv, run, gather);
}

}  // namespace pysmpi
