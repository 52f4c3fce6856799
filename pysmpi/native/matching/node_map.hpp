// The node map of a communicator: which ranks share a node, that is, a simulated host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "matching/communicator.hpp"

namespace pysmpi {

struct NodeMap {
  // Nodes, and the ranks of each node, are in the order that node_map or node_map_in_rank_order defines.
  std::vector<std::int32_t> node_of;  // node of each rank
  std::vector<std::int32_t> leaders;  // first rank of each node
  std::vector<std::int32_t> first;    // first position of each node's ranks in `members`; one more entry at the end
  std::vector<std::int32_t> members;  // ranks grouped by node
  // The simulator knows the node map, but some collectives first discover it with messages, which take time
  // (collectives/nodes.cpp). Each set of ranks (all, the leaders, the ranks of one node) discovers it once.
  // `discoverers` contains, for each set, the context and sequence number of the collective that discovers the map.
  // `knows` has, for each rank, one bit for each kind of set: the rank has taken part in that discovery.
  std::vector<std::int64_t> discoverers;
  std::vector<std::uint8_t> knows;
  std::uint64_t places = 0;  // hash that identifies the hosts in rank order
  bool uniform = true;       // all nodes have the same number of ranks
  bool consecutive = true;   // the ranks of each node are consecutive, and nodes are in rank order

  std::int32_t nodes() const { return static_cast<std::int32_t>(leaders.size()); }
  std::span<const std::int32_t> on_node(std::int32_t node) const {
    return std::span(members).subspan(first[node], first[node + 1] - first[node]);
  }
  std::span<const std::int32_t> beside(std::int32_t rank) const { return on_node(node_of[rank]); }
  std::int32_t leader_of(std::int32_t rank) const { return leaders[node_of[rank]]; }
  bool leads(std::int32_t rank) const { return leader_of(rank) == rank; }
  std::int32_t place_in_node(std::int32_t rank) const {
    const std::span<const std::int32_t> ranks = beside(rank);
    return static_cast<std::int32_t>(std::ranges::find(ranks, rank) - ranks.begin());
  }
  // Return the number of ranks on each node, or 0 if nodes differ.
  std::int32_t on_each_node() const { return uniform ? first[1] - first[0] : 0; }
};

// Return the communicator's node map; the first call builds it. Nodes, and the ranks of a node, are in the order of
// their world ranks, like processes in SMPI (SimGrid 3.32, Comm::init_smp).
NodeMap& node_map(Communicator& communicator);

// Return the node map in the order of the communicator's own ranks, so that rank 0 is the first rank of the first node.
// Open MPI and MPICH build their communicators of nodes and of leaders in this order.
const NodeMap& node_map_in_rank_order(Communicator& communicator);

// Let the communicator `to`, which has the same ranks, share the node map of `from` and the results of its discovery.
void share_node_map(Communicator& from, Communicator& to);

}  // namespace pysmpi
