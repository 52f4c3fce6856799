// Broadcasts to the nodes' first ranks and from them to the other ranks, for any placement of ranks (MVAPICH2's
// algorithms with SMPI's thresholds).
#include <algorithm>

#include "collectives/bcast/bcast.hpp"
#include "collectives/nodes.hpp"
#include "collectives/selectors/selectors.hpp"
#include "collectives/sizes.hpp"

namespace pysmpi {

namespace {

// The root sends to its node's leader; then the leaders broadcast by `between`.
Schedule bcast_to_leaders(Runner& run, const Arguments& args, Algorithm between) {
  const NodeMap& map = node_map(run.communicator());
  const int leader = map.leader_of(args.root);
  if (run.rank == args.root && run.rank != leader) {
    co_await run.send_now(leader, args.receive, args.receive_count, args.receive_type);
  } else if (run.rank == leader && run.rank != args.root) {
    co_await run.receive_now(args.root, args.receive, args.receive_count, args.receive_type);
  }
  if (!map.leads(run.rank)) co_return;
  Arguments among = args;
  among.root = map.node_of[args.root];
  const Runner::Part leaders(run, map.leaders);
  co_await between(run, among);
}

}  // namespace

Schedule bcast_two_level(Runner& run, Arguments args, Algorithm between, Algorithm within) {
  co_await bcast_to_leaders(run, args, between);
  const Runner::Part node(run, node_map(run.communicator()).beside(run.rank));
  args.root = 0;
  co_await within(run, args);
}

namespace {

// The broadcast within each node starts at its leader (its first rank), which has the data. SMPI uses the root's rank
// in the communicator also as the number of the starting rank within each node. That rank has the data only if it is
// the root itself; in this case the broadcast starts there, as in SMPI.
Schedule bcast_from_root_within(Runner& run, Arguments args) {
  co_await bcast_to_leaders(run, args, mpich_bcast);
  const std::span<const std::int32_t> ranks = node_map(run.communicator()).beside(run.rank);
  if (static_cast<std::size_t>(args.root) >= ranks.size() || ranks[args.root] != args.root) args.root = 0;
  const Runner::Part node(run, ranks);
  co_await mpich_bcast(run, args);
}

}  // namespace

// SMPI's mvapich2_inter_node: MPICH's broadcast among the leaders, then a binomial tree in each node.
Schedule bcast_mvapich2_inter_node(Runner& run, Arguments args) {
  if (run.in_part()) {
    co_await mpich_bcast(run, args);
    co_return;
  }
  co_await discover_nodes(run);
  co_await bcast_two_level(run, args, mpich_bcast, bcast_binomial);
}

Schedule bcast_mvapich2_intra_node(Runner& run, Arguments args) {
  const std::int64_t bytes = args.receive_bytes();
  constexpr std::int64_t kShort = 16 * kKiB, kLarge = 512 * kKiB, kKnomialAbove = 128 * kKiB;
  constexpr int kFewRanks = 64;
  if (args.receive_count == 0) co_return;
  if (!run.in_part()) co_await discover_nodes(run);
  const bool two_level = run.size > kFewRanks || (bytes > kShort && bytes < kLarge);
  if (two_level && !run.in_part()) {
    if (bytes > kKnomialAbove) {
      co_await bcast_two_level(run, args, mpich_bcast, bcast_mvapich2_knomial);
    } else {
      co_await bcast_from_root_within(run, args);
    }
  } else if (bytes <= kShort) {
    co_await bcast_binomial(run, args);
  } else {
    co_await bcast_scatter_ring_allgather(run, args);
  }
}

// A k-nomial tree in which a rank completes its sends to the farthest children before it sends to nearer ones. Like
// MVAPICH2, it calls discover_nodes, whose messages take time, although it does not use the result.
Schedule bcast_mvapich2_knomial(Runner& run, Arguments args) {
  co_await discover_nodes(run);
  const std::int64_t radix = args.parameter == 0 ? 4 : std::max(2, args.parameter);
  const int number = (run.rank - args.root + run.size) % run.size;
  const auto rank_of = [&](std::int64_t other) { return static_cast<int>((other + args.root) % run.size); };
  std::int64_t distance = 1;
  for (; distance < run.size; distance *= radix) {
    const std::int64_t above = distance * radix;
    if (number % above == 0) continue;
    co_await run.receive_now(rank_of(number / above * above), args.receive, args.receive_count, args.receive_type);
    break;
  }
  for (distance /= radix; distance > 0; distance /= radix) {
    for (int i = 1; i < radix && number + distance * i < run.size; ++i) {
      run.send(rank_of(number + distance * i), args.receive, args.receive_count, args.receive_type);
    }
    co_await run.round();
  }
}

}  // namespace pysmpi
