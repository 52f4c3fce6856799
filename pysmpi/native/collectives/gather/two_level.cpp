// Two-level gathers: on each node, then from the nodes' leaders.
#include <vector>

#include "collectives/gather/gather.hpp"
#include "collectives/nodes.hpp"

namespace pysmpi {

namespace {

// Gathers from the leaders of nodes to the leader of the root's node. If nodes differ in size, it uses the algorithm
// chosen for gatherv.
Schedule gather_from_leaders(Runner& run, const NodeMap& map, std::int32_t to, const char* own, std::int64_t block,
                             char* into) {
  const Runner::Part leaders(run, map.leaders);
  Arguments a;
  a.root = to;
  a.at_root = run.rank == to;
  a.send = own;
  a.send_type = a.receive_type = kByte;
  a.send_count = (map.first[run.rank + 1] - map.first[run.rank]) * block;
  a.receive = into;
  if (map.uniform) {
    a.receive_count = a.send_count;
    co_await gather_in_order(run, a);
    co_return;
  }
  std::vector<std::int64_t> counts(a.at_root ? run.size : 0), displacements(counts.size());
  for (std::size_t node = 0; node < counts.size(); ++node) {
    counts[node] = (map.first[node + 1] - map.first[node]) * block;
    displacements[node] = map.first[node] * block;
  }
  a.receive_counts = counts.data();
  a.receive_displacements = displacements.data();
  a.receive_blocks = run.size;
  co_await collective(Operation::kGatherv, run, a);
}

}  // namespace

// MVAPICH2's algorithm (SimGrid 3.32, gather-mvapich.cpp): a binomial tree on each node, then one leader after the
// other to the leader of the root's node, which sends all blocks to the root.
Schedule gather_two_level(Runner& run, Arguments a) {
  if (run.in_part()) {
    note_fallback("gather", "mvapich2_two_level", "ompi_binomial", "it runs inside another two-level algorithm");
    co_await gather_binomial(run, a);
    co_return;
  }
  co_await discover_nodes(run);
  co_await gather_over_nodes(run, a, gather_binomial);
}

Schedule gather_over_nodes(Runner& run, Arguments a, Algorithm within_node) {
  const NodeMap& map = node_map(run.communicator());
  const bool at_root = run.rank == a.root, leads = map.leads(run.rank);
  const std::int64_t block = at_root ? a.receive_bytes() : a.send_bytes();
  if (block == 0) co_return;
  const std::int32_t leader = map.leader_of(a.root);
  const void* const like = at_root ? a.receive : a.send;

  const Scratch node_blocks(leads ? map.beside(run.rank).size() * block : 0, kByte, like);
  {
    const Runner::Part node(run, map.beside(run.rank));
    Arguments within = a;
    within.root = 0;
    within.at_root = leads;
    within.receive = node_blocks.data();
    within.receive_count = block;
    within.receive_type = kByte;
    co_await within_node(run, within);
  }
  const Scratch all_blocks(run.rank == leader || at_root ? run.size * block : 0, kByte, like);
  if (leads) {
    co_await gather_from_leaders(run, map, map.node_of[a.root], node_blocks.data(), block, all_blocks.data());
  }
  if (a.root != leader && run.rank == leader) {
    co_await run.send_now(a.root, all_blocks.data(), run.size * block, kByte);
  } else if (a.root != leader && at_root) {
    co_await run.receive_now(leader, all_blocks.data(), run.size * block, kByte);
  }
  if (at_root) place_by_rank(map, all_blocks.data(), block, a);
}

}  // namespace pysmpi
