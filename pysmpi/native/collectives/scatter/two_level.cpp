// Two-level scatters: to the nodes' leaders, then on each node.
#include <vector>

#include "collectives/nodes.hpp"
#include "collectives/scatter/scatter.hpp"

namespace pysmpi {

namespace {

// Scatters from the leader of the root's node to the other leaders. If nodes differ in size, it uses the algorithm
// chosen for scatterv.
Schedule scatter_to_leaders(Runner& run, const NodeMap& map, std::int32_t from, Algorithm between_nodes,
                            const char* blocks, std::int64_t block, char* own) {
  const Runner::Part leaders(run, map.leaders);
  Arguments a;
  a.root = from;
  a.at_root = run.rank == from;
  a.send = blocks;
  a.send_type = a.receive_type = kByte;
  a.receive = own;
  a.receive_count = (map.first[run.rank + 1] - map.first[run.rank]) * block;
  if (map.uniform) {
    a.send_count = a.receive_count;
    co_await between_nodes(run, a);
    co_return;
  }
  std::vector<std::int64_t> counts(a.at_root ? run.size : 0), displacements(counts.size());
  for (std::size_t node = 0; node < counts.size(); ++node) {
    counts[node] = (map.first[node + 1] - map.first[node]) * block;
    displacements[node] = map.first[node] * block;
  }
  a.send_counts = counts.data();
  a.send_displacements = displacements.data();
  a.send_blocks = run.size;
  co_await collective(Operation::kScatterv, run, a);
}

// MVAPICH2's algorithm (SimGrid 3.32, scatter-mvapich-two-level.cpp).
Schedule scatter_in_two_levels(Runner& run, Arguments a, const char* name, Algorithm between_nodes) {
  if (run.in_part()) {
    note_fallback("scatter", name, "ompi_binomial", "it runs inside another two-level algorithm");
    co_await scatter_binomial(run, a);
    co_return;
  }
  co_await discover_nodes(run);
  co_await scatter_over_nodes(run, a, between_nodes, scatter_binomial);
}

}  // namespace

Schedule scatter_two_level_in_order(Runner& run, Arguments a) {
  return scatter_in_two_levels(run, a, "mvapich2_two_level_direct", scatter_in_order);
}

Schedule scatter_two_level_binomial(Runner& run, Arguments a) {
  return scatter_in_two_levels(run, a, "mvapich2_two_level_binomial", scatter_binomial);
}

Schedule scatter_over_nodes(Runner& run, Arguments a, Algorithm between_nodes, Algorithm within_node) {
  const NodeMap& map = node_map(run.communicator());
  const bool at_root = run.rank == a.root, leads = map.leads(run.rank);
  const std::int64_t block = at_root ? a.send_bytes() : a.receive_bytes();
  if (block == 0) co_return;
  if (map.nodes() == 1) {
    co_await scatter_in_order(run, a);
    co_return;
  }
  const std::int32_t leader = map.leader_of(a.root);
  const void* const like = at_root ? a.send : a.receive;

  const Scratch all_blocks(run.rank == leader || at_root ? run.size * block : 0, kByte, like);
  if (at_root) take_by_node(map, a, all_blocks.data(), block);
  if (a.root != leader && run.rank == leader) {
    co_await run.receive_now(a.root, all_blocks.data(), run.size * block, kByte);
  } else if (a.root != leader && at_root) {
    co_await run.send_now(leader, all_blocks.data(), run.size * block, kByte);
  }
  const Scratch node_blocks(leads ? map.beside(run.rank).size() * block : 0, kByte, like);
  if (leads) {
    co_await scatter_to_leaders(run, map, map.node_of[a.root], between_nodes, all_blocks.data(), block,
                                node_blocks.data());
  }
  const Runner::Part node(run, map.beside(run.rank));
  Arguments within = a;
  within.root = 0;
  within.at_root = leads;
  within.send = node_blocks.data();
  within.send_count = block;
  within.send_type = kByte;
  co_await within_node(run, within);
}

}  // namespace pysmpi
