// Simulates the messages by which the ranks of a communicator find out which of them share a node.
#include "collectives/nodes.hpp"

#include "collectives/allgather/allgather.hpp"
#include "collectives/bcast/bcast.hpp"
#include "collectives/reduce/reduce.hpp"

namespace pysmpi {

namespace {

constexpr std::int32_t kInt = 0x4c000405, kLand = 0x58000005;  // MPI_INT and MPI_LAND of MPICH's ABI

Arguments one_integer(void* send, void* receive) {
  Arguments args;
  args.send = send;
  args.receive = receive;
  args.send_count = args.receive_count = 1;
  args.send_type = args.receive_type = kInt;
  return args;
}

enum Ranks : std::uint8_t { kAll, kLeaders, kNode };
constexpr std::int64_t kUndiscovered = -1;

Ranks visible(const Runner& run) {
  if (!run.in_part()) return kAll;
  return on_one_node(run) ? kNode : kLeaders;
}

// Context and sequence number of a collective.
std::int64_t identity(Runner& run) { return std::int64_t{run.communicator().context} << 32 | run.number(); }

// Identity of the collective that discovers the nodes of these ranks: all ranks, the leaders, or the ranks of one node.
std::int64_t& discoverer(NodeMap& map, Ranks ranks, const Runner& run) {
  if (map.discoverers.empty()) {
    map.discoverers.assign(kNode + map.nodes(), kUndiscovered);
    map.knows.assign(map.node_of.size(), 0);
  }
  return map.discoverers[ranks == kNode ? kNode + map.node_of[run.in_communicator(run.rank)] : ranks];
}

}  // namespace

bool have_looked_for_nodes(const Communicator& communicator) {
  const Communicator& group = communicator.inter() ? *communicator.local : communicator;
  return group.nodes && !group.nodes->discoverers.empty() && group.nodes->discoverers[kAll] != kUndiscovered;
}

bool on_one_node(const Runner& run) {
  const NodeMap& map = node_map(run.communicator());
  if (!run.in_part()) return map.nodes() == 1;
  return map.node_of[run.in_communicator(run.size - 1)] == map.node_of[run.in_communicator(0)];
}

Schedule discover_nodes(Runner& run) {
  NodeMap& map = node_map(run.communicator());
  const Ranks ranks = visible(run);
  run.knows_nodes = true;
  std::int64_t& finds_out = discoverer(map, ranks, run);
  if (finds_out == kUndiscovered) finds_out = identity(run);
  std::uint8_t& knows = map.knows[run.in_communicator(run.rank)];
  if (finds_out != identity(run) || (knows & 1 << ranks)) co_return;
  knows |= 1 << ranks;
  // The simulator knows the node map. The messages only cost time; their contents are not used.
  const Scratch own(1, kInt, nullptr), all(run.size, kInt, nullptr);
  const Arguments each = one_integer(own.data(), all.data());
  co_await allgather_by_distance(run, each);
  if (ranks == kLeaders) {
    co_await allgather_by_distance(run, each);
  } else if (ranks == kAll && map.leads(run.rank)) {
    const Runner::Part leaders(run, map.leaders);
    co_await allgather_by_distance(run, each);
  }
  if (ranks == kNode) {
    co_await bcast_scatter_ring_allgather(run, one_integer(nullptr, own.data()));
  } else if (ranks == kAll) {
    const Runner::Part node(run, map.beside(run.rank));
    co_await bcast_scatter_ring_allgather(run, one_integer(nullptr, own.data()));
  }
  Arguments agreement = one_integer(own.data(), all.data());
  agreement.reduction = *find_reduction(kLand);
  co_await reduce_at_root(run, agreement);
  co_await bcast_binomial(run, agreement);
}

void place_by_rank(std::span<const std::int32_t> ranks, const char* blocks, std::int64_t block, const Arguments& args) {
  for (const std::int32_t rank : ranks) {
    local_copy(blocks, block, kByte, args.receive_at(rank * args.receive_count), args.receive_count, args.receive_type);
    blocks += block;
  }
}

void take_by_rank(std::span<const std::int32_t> ranks, const Arguments& args, char* blocks, std::int64_t block) {
  for (const std::int32_t rank : ranks) {
    local_copy(args.send_at(rank * args.send_count), args.send_count, args.send_type, blocks, block, kByte);
    blocks += block;
  }
}

}  // namespace pysmpi
