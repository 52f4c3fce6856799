// Open MPI 5.0's HAN component (ompi/mca/coll/han of 5.0; Luo et al., "HAN: a Hierarchical AutotuNed collective
// communication framework", CLUSTER 2020).
//
// HAN serves communicators on several nodes if each node has the same number of ranks, at least two. It combines
// collectives inside nodes ("low") with collectives among the ranks that have the same position in each node ("up").
// The vector is cut into segments of 64 KiB that pass both levels in a pipeline. Blocking steps use the tuned
// component's choice, overlapping steps the nonblocking collectives of libnbc.
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

bool serves(const Runner& run) {
  if (run.in_part()) return false;
  const NodeMap& map = node_map_in_rank_order(run.communicator());
  return map.nodes() > 1 && map.uniform && map.nodes() < run.size;
}

// The two levels as a rank sees them, for a given root. The rank takes part in the upper level if it has the same
// position in its node as the root has in the root's node.
struct Levels {
  const NodeMap& map;
  const std::span<const std::int32_t> low;
  std::int32_t low_root, up_root;
  std::vector<std::int32_t> up;  // empty if the rank is not part of the upper level

  Levels(const Runner& run, std::int32_t root)
      : map(node_map_in_rank_order(run.communicator())), low(map.beside(run.rank)), up_root(map.node_of[root]) {
    low_root = map.place_in_node(root);
    if (map.place_in_node(run.rank) != low_root) return;
    for (std::int32_t node = 0; node < map.nodes(); ++node) up.push_back(map.on_node(node)[low_root]);
  }
  bool in_up() const { return !up.empty(); }
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

// Arguments of a step that reduces or broadcasts one segment from `from` to `into`, two buffers as long as the vector.
// `into` is null on ranks that receive nothing.
Arguments step_of(const Arguments& args, const Segments& segments, int segment, const void* from, void* into,
                  std::int32_t root) {
  const std::int64_t offset = segments.begin(segment) * args.receive_extent();
  Arguments part = args;
  part.root = root;
  part.in_place = false;
  part.send = static_cast<const char*>(from) + offset;
  part.receive = static_cast<char*>(into) + (into ? offset : 0);
  part.receive_count = segments.length_of(segment);
  return part;
}

// Reduces segment s + 1 in the lower level while segment s is reduced in the upper level.
Schedule reduce_on_nodes(Runner& run, Arguments args) {
  const Levels levels(run, args.root);
  const Segments segments(args.receive_count, args.receive_type);
  const Scratch of_node(levels.in_up() ? args.receive_count : 0, args.receive_type, args.send);
  const auto part_of = [&](int segment, const void* from, void* into, std::int32_t root) {
    return step_of(args, segments, segment, from, into, root);
  };
  const auto low = [&](int segment) { return part_of(segment, args.send, of_node.data(), levels.low_root); };
  void* const result = run.rank == args.root ? args.receive : nullptr;
  co_await tuned(Operation::kReduce, run, low(0), levels.low);
  for (int segment = 0; segment < segments.number; ++segment) {
    RequestId going_up = kNone;
    if (levels.in_up()) {
      going_up = start(Operation::kReduce, run, part_of(segment, of_node.data(), result, levels.up_root), levels.up, 1);
    }
    if (segment + 1 < segments.number) co_await tuned(Operation::kReduce, run, low(segment + 1), levels.low);
    co_await finish(run, going_up);
  }
}

// A pipeline of four stages: reduce low, reduce up, broadcast up, broadcast low.
Schedule allreduce_on_nodes(Runner& run, Arguments args) {
  const Levels levels(run, 0);
  const Segments segments(args.receive_count, args.receive_type);
  const Scratch of_node(levels.in_up() ? args.receive_count : 0, args.receive_type, args.receive);
  const auto part_of = [&](int segment, const void* from, void* into) {
    return step_of(args, segments, segment, from, into, 0);
  };
  const auto there_is = [&](int segment) { return segment >= 0 && segment < segments.number; };
  for (int step = 0; step < segments.number + 3; ++step) {
    RequestId down = kNone, up = kNone;
    if (levels.in_up() && there_is(step - 2)) {
      down = start(Operation::kBcast, run, part_of(step - 2, args.receive, args.receive), levels.up, 1);
    }
    if (levels.in_up() && there_is(step - 1)) {
      up = start(Operation::kReduce, run, part_of(step - 1, of_node.data(), args.receive), levels.up, 2);
    }
    if (there_is(step)) co_await tuned(Operation::kReduce, run, part_of(step, args.send, of_node.data()), levels.low);
    if (there_is(step - 3)) {
      co_await tuned(Operation::kBcast, run, part_of(step - 3, args.receive, args.receive), levels.low);
    }
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

// Arguments of a gather or scatter with elements of one datatype on the send side and bytes on the receive side.
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

// Gathers in each node, then among the nodes; the gathered blocks are ordered by node.
Schedule gather_on_nodes(Runner& run, Arguments args) {
  const Levels levels(run, args.root);
  const bool at_root = run.rank == args.root;
  const std::int64_t block = args.gather_bytes(run.rank);
  const std::int64_t ranks_on_node = static_cast<std::int64_t>(levels.low.size());
  const void* const like = at_root ? args.receive : args.send;
  const Scratch of_node(levels.in_up() ? ranks_on_node * block : 0, kByte, like);
  const Scratch all(at_root ? run.size * block : 0, kByte, like);
  Arguments low = gathering(args.send, args.send_count, args.send_type, of_node.data(), block);
  low.root = levels.low_root;
  co_await tuned(Operation::kGather, run, low, levels.low);
  if (!levels.in_up()) co_return;
  Arguments up = gathering(of_node.data(), ranks_on_node * block, kByte, all.data(), ranks_on_node * block);
  up.root = levels.up_root;
  co_await tuned(Operation::kGather, run, up, levels.up);
  if (at_root) place_by_rank(levels.map, all.data(), block, args);
}

Schedule scatter_on_nodes(Runner& run, Arguments args) {
  const Levels levels(run, args.root);
  const bool at_root = run.rank == args.root;
  const std::int64_t block = args.scatter_bytes(run.rank);
  const std::int64_t ranks_on_node = static_cast<std::int64_t>(levels.low.size());
  const void* const like = at_root ? args.send : args.receive;
  const Scratch all(at_root ? run.size * block : 0, kByte, like);
  const Scratch of_node(levels.in_up() ? ranks_on_node * block : 0, kByte, like);
  if (at_root) take_by_node(levels.map, args, all.data(), block);
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
  const Scratch all(run.size * block, kByte, args.receive);
  Arguments low = gathering(args.send, args.send_count, args.send_type, of_node.data(), block);
  low.root = 0;
  co_await tuned(Operation::kGather, run, low, levels.low);
  if (levels.in_up()) {
    co_await tuned(Operation::kAllgather, run,
                   gathering(of_node.data(), ranks_on_node * block, kByte, all.data(), ranks_on_node * block),
                   levels.up);
  }
  Arguments whole;
  whole.receive = all.data();
  whole.receive_count = run.size * block;
  whole.receive_type = kByte;
  co_await tuned(Operation::kBcast, run, whole, levels.low);
  place_by_rank(levels.map, all.data(), block, args);
}

// Without nodes to combine, the tuned component serves the communicator. This is not a schedule of its own, which would
// need a frame in each rank.
template <Operation operation, Algorithm on_nodes>
Schedule by_nodes(Runner& run, Arguments args) {
  constexpr bool reduces = operation == Operation::kReduce || operation == Operation::kAllreduce;
  const bool is_served =
      serves(run) && (!reduces || args.reduction.commutative) && !openmpi::is_empty(operation, run, args);
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
