// Two-level scatters: to the nodes' leaders, then on each node.
#include <vector>

#include "collectives/nodes.hpp"
#include "collectives/scatter/scatter.hpp"

namespace pysmpi {

namespace {

// Scatters from the leader of the root's node to the other leaders. If nodes differ in size, the algorithm chosen for
// scatterv is used.
Schedule scatter_to_leaders(Runner& run, const NodeMap& map, std::int32_t from, Algorithm between_nodes,
                            const char* blocks, std::int64_t block, char* own) {
  const Runner::Part leaders(run, map.leaders);
  Arguments args;
  args.root = from;
  args.at_root = run.rank == from;
  args.send = blocks;
  args.send_type = args.receive_type = kByte;
  args.receive = own;
  args.receive_count = (map.first[run.rank + 1] - map.first[run.rank]) * block;
  if (map.uniform) {
    args.send_count = args.receive_count;
    co_await between_nodes(run, args);
    co_return;
  }
  std::vector<std::int64_t> counts(args.at_root ? run.size : 0), displacements(counts.size());
  for (std::size_t node = 0; node < counts.size(); ++node) {
    counts[node] = (map.first[node + 1] - map.first[node]) * block;
    displacements[node] = map.first[node] * block;
  }
  args.send_counts = counts.data();
  args.send_displacements = displacements.data();
  args.send_blocks = run.size;
  co_await collective(Operation::kScatterv, run, args);
}

// MVAPICH2's two-level scatter (SimGrid 3.32, scatter-mvapich-two-level.cpp).
Schedule scatter_in_two_levels(Runner& run, Arguments args, const char* name, Algorithm between_nodes) {
  if (run.in_part()) {
    note_fallback("scatter", name, "ompi_binomial", "it runs inside another two-level algorithm");
    co_await scatter_binomial(run, args);
    co_return;
  }
  co_await discover_nodes(run);
  co_await scatter_over_nodes(run, args, between_nodes, scatter_binomial);
}

}  // namespace

Schedule scatter_two_level_in_order(Runner& run, Arguments args) {
  return scatter_in_two_levels(run, args, "mvapich2_two_level_direct", scatter_in_order);
}

Schedule scatter_two_level_binomial(Runner& run, Arguments args) {
  return scatter_in_two_levels(run, args, "mvapich2_two_level_binomial", scatter_binomial);
}

Schedule scatter_over_nodes(Runner& run, Arguments args, Algorithm between_nodes, Algorithm within_node) {
  const NodeMap& map = node_map(run.communicator());
  const bool at_root = run.rank == args.root, leads = map.leads(run.rank);
  const std::int64_t block = args.scatter_bytes(run.rank);
  if (block == 0) co_return;
  if (map.nodes() == 1) {
    co_await scatter_in_order(run, args);
    co_return;
  }
  const std::int32_t leader = map.leader_of(args.root);
  const void* const like = at_root ? args.send : args.receive;

  const Scratch all_blocks(run.rank == leader || at_root ? run.size * block : 0, kByte, like);
  if (at_root) take_by_rank(map.members, args, all_blocks.data(), block);
  if (args.root != leader && run.rank == leader) {
    co_await run.receive_now(args.root, all_blocks.data(), run.size * block, kByte);
  } else if (args.root != leader && at_root) {
    co_await run.send_now(leader, all_blocks.data(), run.size * block, kByte);
  }
  const Scratch node_blocks(leads ? map.beside(run.rank).size() * block : 0, kByte, like);
  if (leads) {
    co_await scatter_to_leaders(run, map, map.node_of[args.root], between_nodes, all_blocks.data(), block,
                                node_blocks.data());
  }
  const Runner::Part node(run, map.beside(run.rank));
  Arguments within = args;
  within.root = 0;
  within.at_root = leads;
  within.send = node_blocks.data();
  within.send_count = block;
  within.send_type = kByte;
  co_await within_node(run, within);
}

}  // namespace pysmpi
