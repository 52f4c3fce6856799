// Allgather algorithms that work within nodes and between nodes.
#include "collectives/allgather/allgather.hpp"
#include "collectives/allgather/blocks.hpp"
#include "collectives/nodes.hpp"
#include "collectives/selectors/selectors.hpp"

namespace pysmpi {

namespace {

// Groups of consecutive ranks, which the algorithms of this file treat as nodes. Each group has as many ranks as a node
// has. If nodes differ in size, each rank is a group.
struct Groups {
  int ranks;   // ranks of a group
  int groups;  // number of groups
  int number;  // number of the rank's own group
  int within;  // the rank's position in its group
  explicit Groups(Runner& run) : ranks(1) {
    const NodeMap& map = node_map(run.communicator());
    if (map.uniform) ranks = static_cast<int>(map.beside(run.rank).size());
    groups = run.size / ranks;
    number = run.rank / ranks;
    within = run.rank % ranks;
  }
  int first() const { return number * ranks; }
  int group_below(int distance) const { return (number - distance + groups) % groups; }
};

Schedule exchange_in_group(Runner& run, Arguments args, Groups group) {
  place_own_equal_block(run, args);
  for (int i = 1; i < group.ranks; ++i) {
    const int to = group.first() + (group.within + i) % group.ranks;
    const int from = group.first() + (group.within - i + group.ranks) % group.ranks;
    co_await run.exchange(to, args.send, args.send_count, args.send_type, from, equal_block_of(args, from),
                          args.receive_count, args.receive_type);
  }
}

// Returns whether the algorithm must fall back to a ring, and records the fallback. A fallback is necessary if another
// two-level algorithm calls this one for a part of the communicator: the ranks of one node, or the leaders of all
// nodes. Such a part cannot be divided into nodes again.
bool falls_back_to_ring(const Runner& run, const char* name) {
  if (!run.in_part()) return false;
  note_fallback("allgather", name, "ring", "it runs inside another two-level algorithm");
  return true;
}

}  // namespace

// The ranks of each group exchange their blocks, then the first ranks of all groups exchange the groups' blocks. Each
// first rank then sends the whole result to the other ranks of its group, one after the other.
Schedule allgather_groups_linear(Runner& run, Arguments args) {
  if (falls_back_to_ring(run, "smp_simple")) {
    co_await allgather_by_distance(run, args);
    co_return;
  }
  co_await discover_nodes(run);
  const Groups group(run);
  co_await exchange_in_group(run, args, group);
  const std::int64_t count = group.ranks * args.receive_count, whole = run.size * args.receive_count;
  if (group.within != 0) {
    co_await run.receive_now(group.first(), args.receive, whole, args.receive_type);
    co_return;
  }
  for (int i = 1; i < group.groups; ++i) {
    const int from = group.group_below(i) * group.ranks;
    run.receive(from, equal_block_of(args, from), count, args.receive_type);
  }
  for (int i = 1; i < group.groups; ++i) {
    const int to = (group.number + i) % group.groups * group.ranks;
    run.send(to, equal_block_of(args, run.rank), count, args.receive_type);
  }
  co_await run.round();
  for (int i = 1; i < group.ranks; ++i) co_await run.send_now(run.rank + i, args.receive, whole, args.receive_type);
}

// The ranks of each group exchange their blocks, then the first ranks of all groups pass the groups' blocks round a
// ring. From the first rank of a group, each arriving block also travels to the second rank, then to the third rank,
// and so on.
Schedule allgather_groups_ring(Runner& run, Arguments args) {
  if (falls_back_to_ring(run, "SMP_NTS")) {
    co_await allgather_by_distance(run, args);
    co_return;
  }
  co_await discover_nodes(run);
  const Groups group(run);
  if (group.groups == 1) {
    note_fallback("allgather", "SMP_NTS", "linear", "all ranks share a node");
    co_await allgather_linear(run, args);
    co_return;
  }
  co_await exchange_in_group(run, args, group);
  const std::int64_t count = group.ranks * args.receive_count;
  const auto blocks = [&](int distance) { return equal_block_of(args, group.group_below(distance) * group.ranks); };
  const bool leads = group.within == 0, hands_on = group.within < group.ranks - 1;
  const int above = (group.number + 1) % group.groups * group.ranks, below = group.group_below(1) * group.ranks;
  if (leads) {
    for (int i = 1; i < group.groups; ++i) run.start_receive(below, blocks(i), count, args.receive_type);
    co_await run.start_send(above, blocks(0), count, args.receive_type);
  }
  for (int i = 1; i < group.groups; ++i) {
    if (leads) {
      co_await run.finish_first();
      if (i < group.groups - 1) co_await run.start_send(above, blocks(i), count, args.receive_type);
    } else {
      co_await run.receive_now(run.rank - 1, blocks(i), count, args.receive_type);
    }
    if (hands_on) co_await run.send_now(run.rank + 1, blocks(i), count, args.receive_type);
  }
  co_await run.round();
}

// For each position in a group, a ring connects the ranks at this position in all groups. In each step a rank receives
// a block from its ring and sends the block of the previous step to the other ranks of its group. A step ends when the
// ring's block has arrived.
Schedule allgather_groups_rings(Runner& run, Arguments args) {
  if (falls_back_to_ring(run, "loosely_lr")) {
    co_await allgather_by_distance(run, args);
    co_return;
  }
  co_await discover_nodes(run);
  const Groups group(run);
  const int above = (run.rank + group.ranks) % run.size, below = (run.rank - group.ranks + run.size) % run.size;
  place_own_equal_block(run, args);
  for (int i = 0; i < group.groups; ++i) {
    const bool last = i == group.groups - 1;
    const int held = group.group_below(i) * group.ranks;  // first rank of the group whose blocks are available here
    RequestId arriving = kNone;
    for (int j = 0; j < group.ranks; ++j) {
      if (j != group.within) {
        const int other = group.first() + j;
        run.receive(other, equal_block_of(args, held + j), args.receive_count, args.receive_type);
        co_await run.start_send(other, equal_block_of(args, held + group.within), args.receive_count,
                                args.receive_type);
      } else if (!last) {
        arriving = run.start_receive(below, equal_block_of(args, group.group_below(i + 1) * group.ranks + group.within),
                                     args.receive_count, args.receive_type);
        co_await run.start_send(above, equal_block_of(args, held + group.within), args.receive_count,
                                args.receive_type);
      }
    }
    if (!last) co_await run.finish(arriving);
  }
  co_await run.round();
}

// MVAPICH2's algorithm: gather on each node, MPICH's allgather among the leaders, broadcast on each node (SimGrid 3.32,
// allgather-mvapich-smp.cpp). If the blocks of a node are not contiguous, MPICH's allgather is used.
Schedule allgather_two_level(Runner& run, Arguments args) {
  if (falls_back_to_ring(run, "mvapich2_smp")) {
    co_await allgather_by_distance(run, args);
    co_return;
  }
  co_await discover_nodes(run);
  const NodeMap& map = node_map(run.communicator());
  if (!map.uniform || !map.consecutive) {
    note_fallback("allgather", "mvapich2_smp", "the mpich selector's choice",
                  "nodes differ in their number of ranks, or their ranks are not consecutive");
    co_await mpich_allgather(run, args);
    co_return;
  }
  if (args.receive_count == 0) co_return;
  const std::int32_t rank = run.rank, size = run.size;
  {
    const Runner::Part node(run, map.beside(rank));
    Arguments gathered = args;
    gathered.root = 0;
    gathered.at_root = run.rank == 0;
    gathered.receive = equal_block_of(args, rank);
    co_await collective(Operation::kGather, run, gathered);
  }
  if (map.leads(rank) && map.nodes() > 1) {
    const Runner::Part leaders(run, map.leaders);
    Arguments of_nodes = args;
    of_nodes.send = equal_block_of(args, rank);
    of_nodes.send_type = args.receive_type;
    of_nodes.send_count = of_nodes.receive_count = size / run.size * args.receive_count;
    of_nodes.send_blocks = of_nodes.receive_blocks = run.size;
    co_await mpich_allgather(run, of_nodes);
  }
  const Runner::Part node(run, map.beside(rank));
  Arguments whole = args;
  whole.root = 0;
  whole.at_root = run.rank == 0;
  whole.receive_count = size * args.receive_count;
  co_await collective(Operation::kBcast, run, whole);
}

}  // namespace pysmpi
