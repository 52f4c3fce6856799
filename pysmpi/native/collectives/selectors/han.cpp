// Open MPI 5.0's HAN component (ompi/mca/coll/han of 5.0; Luo et al., "HAN: a Hierarchical AutotuNed collective
// communication framework", CLUSTER 2020).
//
// HAN serves communicators on several nodes if each node has the same number of ranks, at least two. Barriers and
// allreduces only need one node with two ranks. It combines collectives inside nodes ("low") with collectives among the
// ranks that have the same position in each node ("up"). The vector is cut into segments of 64 KiB that pass both
// levels in a pipeline. Blocking steps use the tuned component's choice, overlapping steps the nonblocking collectives
// of libnbc.
#include <algorithm>
#include <vector>

#include "collectives/libnbc/libnbc.hpp"
#include "collectives/nodes.hpp"
#include "collectives/selectors/openmpi_table.hpp"
#include "collectives/selectors/selectors.hpp"
#include "collectives/sizes.hpp"

namespace pysmpi {

namespace {

constexpr std::int64_t kSegmentBytes = 64 * kKiB;

// Barriers and allreduces need no equal numbers of ranks, because their root is the first rank of each node.
bool serves(const Runner& run, Operation operation) {
  if (run.in_part()) return false;
  const NodeMap& map = node_map_in_rank_order(run.communicator());
  const bool is_rooted_at_leaders = operation == Operation::kBarrier || operation == Operation::kAllreduce;
  return map.nodes() > 1 && (map.uniform || is_rooted_at_leaders) && map.nodes() < run.size;
}

// The two levels as a rank sees them, for a given root. The rank takes part in the upper level if it has the same
// position in its node as the root has in the root's node. The upper level is in rank order, which may differ from the
// order of the nodes: with ranks 0 and 3 on one node and 1 and 2 on another one, rank 2 comes before rank 3.
struct Levels {
  const NodeMap& map;
  const std::span<const std::int32_t> low;
  std::int32_t low_root, up_root = 0;
  std::vector<std::int32_t> up;  // empty if the rank is not part of the upper level

  Levels(const Runner& run, std::int32_t root)
      : map(node_map_in_rank_order(run.communicator())), low(map.beside(run.rank)), low_root(map.place_in_node(root)) {
    if (map.place_in_node(run.rank) != low_root) return;
    for (std::int32_t node = 0; node < map.nodes(); ++node) up.push_back(map.on_node(node)[low_root]);
    std::ranges::sort(up);
    up_root = static_cast<std::int32_t>(std::ranges::find(up, root) - up.begin());
  }
  bool in_up() const { return !up.empty(); }
  // Returns all ranks in the order in which the upper level gathers and scatters their blocks.
  std::vector<std::int32_t> in_order() const {
    std::vector<std::int32_t> ranks;
    for (const std::int32_t leader : up) {
      const auto node = map.beside(leader);
      ranks.insert(ranks.end(), node.begin(), node.end());
    }
    return ranks;
  }
};

// Segments of at most 64 KiB, rounded to whole elements as in Open MPI.
struct Segments {
  std::int64_t count, length;
  int number;
  Segments(std::int64_t count, std::int32_t type) : count(count), length(count) {
    const std::int64_t size = find_datatype(type)->size;
    if (size > 0 && size <= kSegmentBytes && count * size > kSegmentBytes) {
      length = kSegmentBytes / size + (kSegmentBytes % size > size / 2);
    }
    number = length == 0 ? 1 : static_cast<int>((count + length - 1) / length);
  }
  std::int64_t begin(int segment) const { return segment * length; }
  std::int64_t length_of(int segment) const { return std::min(length, count - begin(segment)); }
};

Schedule tuned(Operation operation, Runner& run, const Arguments& args, std::span<const std::int32_t> ranks) {
  const Runner::Part part(run, ranks);
  co_await openmpi41_selector(operation)(run, args);
}

// Starts a nonblocking collective of libnbc, which progresses concurrently with the caller's schedule.
RequestId start(Operation operation, Runner& run, const Arguments& args, std::span<const std::int32_t> ranks,
                int stream) {
  const Runner::Part part(run, ranks);
  return run.fork(stream,
                  [&args, operation](Runner& side) { return libnbc::schedule_of(operation, false)(side, args); });
}

Schedule finish(Runner& run, RequestId started) {
  if (started != kNone) co_await run.finish(started);
}

// Broadcasts segment s + 1 in the upper level while segment s is broadcast in the lower level.
Schedule bcast_on_nodes(Runner& run, Arguments args) {
  const Levels levels(run, args.root);
  const Segments segments(args.receive_count, args.receive_type);
  const auto part_of = [&](int segment, std::int32_t root) {
    Arguments part = args;
    part.root = root;
    part.receive = args.receive_at(segments.begin(segment));
    part.receive_count = segments.length_of(segment);
    return part;
  };
  if (levels.in_up()) co_await tuned(Operation::kBcast, run, part_of(0, levels.up_root), levels.up);
  for (int segment = 0; segment < segments.number; ++segment) {
    RequestId next = kNone;
    if (levels.in_up() && segment + 1 < segments.number) {
      next = start(Operation::kBcast, run, part_of(segment + 1, levels.up_root), levels.up, 1);
    }
    co_await tuned(Operation::kBcast, run, part_of(segment, levels.low_root), levels.low);
    co_await finish(run, next);
  }
}

// Arguments of a step on `count` elements. If both addresses are the same, the step's root reduces in place. `into` is
// null on ranks that receive nothing.
Arguments step_of(const Arguments& args, std::int64_t count, const void* from, void* into, std::int32_t root) {
  Arguments step = args;
  step.root = root;
  step.in_place = step.in_place || from == into;
  step.send = from;
  step.receive = into;
  step.receive_count = count;
  return step;
}

// Returns the address of an element in the rank's own vector of a reduction.
const char* own_vector(const Arguments& args, std::int64_t element) {
  return static_cast<const char*>(args.send) + element * args.receive_extent();
}

// Reduces segment s + 1 in the lower level while segment s is reduced in the upper level. Ranks in the upper level
// other than the root have room for two segments.
Schedule reduce_on_nodes(Runner& run, Arguments args) {
  const Levels levels(run, args.root);
  const Segments segments(args.receive_count, args.receive_type);
  const bool at_root = run.rank == args.root;
  const Scratch two(levels.in_up() && !at_root ? 2 * segments.length : 0, args.receive_type, args.send);
  const auto of_node = [&](int segment) {
    if (at_root) return args.receive_at(segments.begin(segment));
    return two.data() ? two.data() + segment % 2 * segments.length * args.receive_extent() : nullptr;
  };
  const auto low = [&](int segment) {
    return step_of(args, segments.length_of(segment), own_vector(args, segments.begin(segment)), of_node(segment),
                   levels.low_root);
  };
  const auto up = [&](int segment) {
    char* const values = of_node(segment);
    return step_of(args, segments.length_of(segment), values, at_root ? values : nullptr, levels.up_root);
  };
  co_await tuned(Operation::kReduce, run, low(0), levels.low);
  for (int segment = 0; segment < segments.number; ++segment) {
    RequestId going_up = kNone;
    if (levels.in_up()) going_up = start(Operation::kReduce, run, up(segment), levels.up, 1);
    if (segment + 1 < segments.number) co_await tuned(Operation::kReduce, run, low(segment + 1), levels.low);
    co_await finish(run, going_up);
  }
}

// A pipeline of four stages: reduce low, reduce up, broadcast up, broadcast low. In the receive buffer of a node's
// first rank, the sum over the node is replaced by the sum over all nodes.
Schedule allreduce_on_nodes(Runner& run, Arguments args) {
  const Levels levels(run, 0);
  const Segments segments(args.receive_count, args.receive_type);
  const auto sum = [&](int segment) { return args.receive_at(segments.begin(segment)); };
  const auto bcast = [&](int segment) { return step_of(args, segments.length_of(segment), nullptr, sum(segment), 0); };
  const auto low = [&](int segment) {
    return step_of(args, segments.length_of(segment), own_vector(args, segments.begin(segment)),
                   levels.in_up() ? sum(segment) : nullptr, 0);
  };
  const auto up_reduce = [&](int segment) {
    return step_of(args, segments.length_of(segment), sum(segment), run.rank == 0 ? sum(segment) : nullptr, 0);
  };
  const auto there_is = [&](int segment) { return segment >= 0 && segment < segments.number; };
  for (int step = 0; step < segments.number + 3; ++step) {
    RequestId down = kNone, up = kNone;
    if (levels.in_up() && there_is(step - 2)) down = start(Operation::kBcast, run, bcast(step - 2), levels.up, 1);
    if (levels.in_up() && there_is(step - 1)) up = start(Operation::kReduce, run, up_reduce(step - 1), levels.up, 2);
    if (there_is(step)) co_await tuned(Operation::kReduce, run, low(step), levels.low);
    if (there_is(step - 3)) co_await tuned(Operation::kBcast, run, bcast(step - 3), levels.low);
    co_await finish(run, down);
    co_await finish(run, up);
  }
}

Schedule barrier_on_nodes(Runner& run, Arguments args) {
  const Levels levels(run, 0);
  co_await tuned(Operation::kBarrier, run, args, levels.low);
  if (levels.in_up()) co_await tuned(Operation::kBarrier, run, args, levels.up);
  co_await tuned(Operation::kBarrier, run, args, levels.low);
}

// Arguments of a gather, allgather or scatter with elements of one datatype on the send side and bytes on the receive
// side.
Arguments gathering(const void* send, std::int64_t send_count, std::int32_t send_type, void* receive,
                    std::int64_t block) {
  Arguments args;
  args.send = send;
  args.send_count = send_count;
  args.send_type = send_type;
  args.receive = receive;
  args.receive_count = block;
  args.receive_type = kByte;
  return args;
}

// Gathers in each node, then among the nodes. Open MPI leaves the blocks of unusual placements (see Levels) in a wrong
// order, here they are always in rank order.
Schedule gather_on_nodes(Runner& run, Arguments args) {
  const Levels levels(run, args.root);
  const bool at_root = run.rank == args.root;
  const std::int64_t block = args.gather_bytes(run.rank);
  const std::int64_t ranks_on_node = static_cast<std::int64_t>(levels.low.size());
  const void* const like = at_root ? args.receive : args.send;
  const Scratch of_node(levels.in_up() ? ranks_on_node * args.send_count : 0, args.send_type, like);
  const Scratch all(at_root ? run.size * block : 0, kByte, like);
  Arguments low = args;
  low.root = levels.low_root;
  low.receive = of_node.data();
  low.receive_count = args.send_count;
  low.receive_type = args.send_type;
  co_await tuned(Operation::kGather, run, low, levels.low);
  if (!levels.in_up()) co_return;
  Arguments up =
      gathering(of_node.data(), ranks_on_node * args.send_count, args.send_type, all.data(), ranks_on_node * block);
  up.root = levels.up_root;
  co_await tuned(Operation::kGather, run, up, levels.up);
  if (at_root) place_by_rank(levels.in_order(), all.data(), block, args);
}

Schedule scatter_on_nodes(Runner& run, Arguments args) {
  const Levels levels(run, args.root);
  const bool at_root = run.rank == args.root;
  const std::int64_t block = args.scatter_bytes(run.rank);
  const std::int64_t ranks_on_node = static_cast<std::int64_t>(levels.low.size());
  const void* const like = at_root ? args.send : args.receive;
  const Scratch all(at_root ? run.size * block : 0, kByte, like);
  const Scratch of_node(levels.in_up() ? ranks_on_node * block : 0, kByte, like);
  if (at_root) take_by_rank(levels.in_order(), args, all.data(), block);
  if (levels.in_up()) {
    Arguments up = gathering(all.data(), ranks_on_node * block, kByte, of_node.data(), ranks_on_node * block);
    up.root = levels.up_root;
    co_await tuned(Operation::kScatter, run, up, levels.up);
  }
  Arguments low = args;
  low.root = levels.low_root;
  low.send = of_node.data();
  low.send_count = block;
  low.send_type = kByte;
  co_await tuned(Operation::kScatter, run, low, levels.low);
}

// Gathers in each node, exchanges among the nodes, then broadcasts in each node.
Schedule allgather_on_nodes(Runner& run, Arguments args) {
  const Levels levels(run, 0);
  const std::int64_t block = args.receive_bytes(), ranks_on_node = static_cast<std::int64_t>(levels.low.size());
  const Scratch of_node(levels.in_up() ? ranks_on_node * block : 0, kByte, args.receive);
  const Scratch all(levels.in_up() ? run.size * block : 0, kByte, args.receive);
  Arguments low = gathering(args.send, args.send_count, args.send_type, of_node.data(), block);
  low.root = 0;
  co_await tuned(Operation::kGather, run, low, levels.low);
  if (levels.in_up()) {
    co_await tuned(Operation::kAllgather, run,
                   gathering(of_node.data(), ranks_on_node * block, kByte, all.data(), ranks_on_node * block),
                   levels.up);
    place_by_rank(levels.in_order(), all.data(), block, args);
  }
  Arguments whole = args;
  whole.root = 0;
  whole.receive_count = run.size * args.receive_count;
  co_await tuned(Operation::kBcast, run, whole, levels.low);
}

// Without nodes to combine, the tuned component serves the communicator. This is not a schedule of its own, which would
// need a frame in each rank.
template <Operation operation, Algorithm on_nodes>
Schedule by_nodes(Runner& run, Arguments args) {
  constexpr bool reduces = operation == Operation::kReduce || operation == Operation::kAllreduce;
  const bool is_served =
      serves(run, operation) && (!reduces || args.reduction.commutative) && !openmpi::is_empty(operation, run, args);
  return (is_served ? on_nodes : openmpi41_selector(operation))(run, args);
}

}  // namespace

Algorithm openmpi50_selector(Operation operation) {
  switch (operation) {
    case Operation::kBarrier:
      return by_nodes<Operation::kBarrier, barrier_on_nodes>;
    case Operation::kBcast:
      return by_nodes<Operation::kBcast, bcast_on_nodes>;
    case Operation::kReduce:
      return by_nodes<Operation::kReduce, reduce_on_nodes>;
    case Operation::kAllreduce:
      return by_nodes<Operation::kAllreduce, allreduce_on_nodes>;
    case Operation::kGather:
      return by_nodes<Operation::kGather, gather_on_nodes>;
    case Operation::kScatter:
      return by_nodes<Operation::kScatter, scatter_on_nodes>;
    case Operation::kAllgather:
      return by_nodes<Operation::kAllgather, allgather_on_nodes>;
    default:
      return openmpi41_selector(operation);
  }
}

}  // namespace pysmpi
