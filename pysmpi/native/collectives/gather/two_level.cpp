// Two-level gathers: on each node, then from the nodes' leaders.
#include <vector>

#include "collectives/gather/gather.hpp"
#include "collectives/nodes.hpp"

namespace pysmpi {

namespace {

// Gathers from the leaders of nodes to the leader of the root's node. If nodes differ in size, the algorithm chosen for
// gatherv is used.
Schedule gather_from_leaders(Runner& run, const NodeMap& map, std::int32_t to, const char* own, std::int64_t block,
                             char* into) {
  const Runner::Part leaders(run, map.leaders);
  Arguments args;
  args.root = to;
  args.at_root = run.rank == to;
  args.send = own;
  args.send_type = args.receive_type = kByte;
  args.send_count = (map.first[run.rank + 1] - map.first[run.rank]) * block;
  args.receive = into;
  if (map.uniform) {
    args.receive_count = args.send_count;
    co_await gather_in_order(run, args);
    co_return;
  }
  std::vector<std::int64_t> counts(args.at_root ? run.size : 0), displacements(counts.size());
  for (std::size_t node = 0; node < counts.size(); ++node) {
    counts[node] = (map.first[node + 1] - map.first[node]) * block;
    displacements[node] = map.first[node] * block;
  }
  args.receive_counts = counts.data();
  args.receive_displacements = displacements.data();
  args.receive_blocks = run.size;
  co_await collective(Operation::kGatherv, run, args);
}

}  // namespace

// MVAPICH2's algorithm (SimGrid 3.32, gather-mvapich.cpp): a binomial tree gathers the blocks of each node at its
// leader. The leaders send the gathered blocks, one leader after the other, to the leader of the root's node, which
// sends all blocks to the root.
Schedule gather_two_level(Runner& run, Arguments args) {
  if (run.in_part()) {
    note_fallback("gather", "mvapich2_two_level", "ompi_binomial", "it runs inside another two-level algorithm");
    co_await gather_binomial(run, args);
    co_return;
  }
  co_await discover_nodes(run);
  co_await gather_over_nodes(run, args, gather_binomial);
}

Schedule gather_over_nodes(Runner& run, Arguments args, Algorithm within_node) {
  const NodeMap& map = node_map(run.communicator());
  const bool at_root = run.rank == args.root, leads = map.leads(run.rank);
  const std::int64_t block = args.gather_bytes(run.rank);
  if (block == 0) co_return;
  const std::int32_t leader = map.leader_of(args.root);
  const void* const like = at_root ? args.receive : args.send;

  const Scratch node_blocks(leads ? map.beside(run.rank).size() * block : 0, kByte, like);
  {
    const Runner::Part node(run, map.beside(run.rank));
    Arguments within = args;
    within.root = 0;
    within.at_root = leads;
    within.receive = node_blocks.data();
    within.receive_count = block;
    within.receive_type = kByte;
    co_await within_node(run, within);
  }
  const Scratch all_blocks(run.rank == leader || at_root ? run.size * block : 0, kByte, like);
  if (leads) {
    co_await gather_from_leaders(run, map, map.node_of[args.root], node_blocks.data(), block, all_blocks.data());
  }
  if (args.root != leader && run.rank == leader) {
    co_await run.send_now(args.root, all_blocks.data(), run.size * block, kByte);
  } else if (args.root != leader && at_root) {
    co_await run.receive_now(leader, all_blocks.data(), run.size * block, kByte);
  }
  if (at_root) place_by_rank(map.members, all_blocks.data(), block, args);
}

}  // namespace pysmpi
