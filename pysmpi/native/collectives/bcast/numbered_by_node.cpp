// SMPI's broadcasts by nodes, which assume that ranks are numbered node by node and that all nodes have the same number
// of ranks. With another placement the result is still correct, but messages cross between nodes more often. The root
// first sends the buffer to rank 0.
#include "collectives/bcast/bcast.hpp"
#include "collectives/bcast/segments.hpp"
#include "collectives/nodes.hpp"
#include "collectives/selectors/selectors.hpp"

namespace pysmpi {

namespace {

// Returns the number of ranks on each node, or 0 if the nodes differ. If the algorithm runs on a part of the
// communicator for another two-level algorithm, each rank counts as a node.
int ranks_of_a_node(Runner& run) {
  if (run.in_part()) return 1;
  const NodeMap& map = node_map(run.communicator());
  return map.uniform ? run.size / map.nodes() : 0;
}

// A binomial broadcast among `ranks` ranks, of which the i-th one is rank first + i * stride. The calling rank is the
// one with i = `number`.
Schedule binomial(Runner& run, const Arguments& args, int first, int stride, int ranks, int number) {
  int distance = 1;
  while (distance < ranks && !(number & distance)) distance *= 2;
  if (number != 0) {
    co_await run.receive_now(first + (number - distance) * stride, args.receive, args.receive_count, args.receive_type);
  }
  for (distance /= 2; distance > 0; distance /= 2) {
    if (number + distance >= ranks) continue;
    co_await run.send_now(first + (number + distance) * stride, args.receive, args.receive_count, args.receive_type);
  }
}

constexpr int kMostChildren = 4;

struct NodePlace {
  int parent = -1;  // -1 for rank 0
  int children[kMostChildren];
  int count = 0;
  void add(int child) { children[count++] = child; }
};

// Receives all segments from the parent and sends each on to one child after the other.
Schedule relay_by_node(Runner& run, const Arguments& args, const NodePlace& place) {
  const Segments segments(args, kSegmentBytes);
  const bool whole = segments.are_one(args);
  const std::int64_t messages = whole ? 1 : segments.whole, elements = whole ? args.receive_count : segments.elements;
  for (std::int64_t i = 0; i < messages && place.parent >= 0; ++i) {
    run.start_receive(place.parent, args.receive_at(i * elements), elements, args.receive_type);
  }
  for (std::int64_t i = 0; i < messages; ++i) {
    if (place.parent >= 0) co_await run.finish_first();
    for (int child = 0; child < place.count; ++child) {
      co_await run.send_now(place.children[child], args.receive_at(i * elements), elements, args.receive_type);
    }
  }
  if (!whole) co_await broadcast_rest(run, args, segments);
}

}  // namespace

// Broadcasts down a binomial tree of the nodes' first ranks, then down a binomial tree in each node.
Schedule bcast_nodes_binomial(Runner& run, Arguments args) {
  if (!run.in_part()) co_await discover_nodes(run);
  const int width = ranks_of_a_node(run);
  if (width == 0) {
    co_await mpich_bcast(run, args);
    co_return;
  }
  co_await hand_to_rank_0(run, args);
  const int node = run.rank / width, within = run.rank % width;
  if (within == 0) co_await binomial(run, args, 0, width, run.size / width, node);
  co_await binomial(run, args, node * width, 1, width, within);
}

// Broadcasts down a binary tree of the nodes' first ranks, then down a binary tree in each node.
Schedule bcast_nodes_binary(Runner& run, Arguments args) {
  if (!run.in_part()) co_await discover_nodes(run);
  const int width = ranks_of_a_node(run);
  if (width == 0) {
    co_await mpich_bcast(run, args);
    co_return;
  }
  const int node = run.rank / width, within = run.rank % width, nodes = run.size / width, first = node * width;
  NodePlace place;
  if (within > 0) {
    place.parent = first + (within - 1) / 2;
  } else if (node > 0) {
    place.parent = (node - 1) / 2 * width;
  }
  for (const int child : {2 * node + 1, 2 * node + 2}) {
    if (within == 0 && child < nodes) place.add(child * width);
  }
  for (const int child : {2 * within + 1, 2 * within + 2}) {
    if (child < width) place.add(first + child);
  }
  co_await hand_to_rank_0(run, args);
  co_await relay_by_node(run, args, place);
}

// Broadcasts along a chain of the nodes' first ranks, then along a chain in each node.
Schedule bcast_nodes_chain(Runner& run, Arguments args) {
  if (!run.in_part()) co_await discover_nodes(run);
  const int width = ranks_of_a_node(run);
  if (width == 0) {
    co_await mpich_bcast(run, args);
    co_return;
  }
  if (run.size <= width) {
    note_fallback("bcast", "SMP_linear", "binomial_tree", "all ranks are on one node");
    co_await bcast_binomial(run, args);
    co_return;
  }
  const int within = run.rank % width;
  NodePlace place;
  if (run.rank > 0) place.parent = within == 0 ? run.rank - width : run.rank - 1;
  if (within == 0 && run.rank + width < run.size) place.add(run.rank + width);
  if (within + 1 < width) place.add(run.rank + 1);
  co_await hand_to_rank_0(run, args);
  co_await relay_by_node(run, args, place);
}

}  // namespace pysmpi
