// Which ranks of a communicator share a node, that is a simulated host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "matching/communicator.hpp"

namespace pysmpi {

struct NodeMap {
  std::vector<std::int32_t> node_of;  // by rank; nodes are numbered by their lowest ranks
  std::vector<std::int32_t> leaders;  // by node: its lowest rank. Ascending
  std::vector<std::int32_t> first;    // by node: where its ranks begin in `members`; one more at the end
  std::vector<std::int32_t> members;  // ranks by node, ascending
  // Of what collectives find out about nodes with messages, once one does (collectives/nodes.cpp): the number of the
  // one that does, by what; and by rank, what that one has done already.
  std::vector<std::int32_t> discoverers;
  std::vector<std::uint8_t> knows;
  std::uint64_t places = 0;  // tells orders of hosts from each other
  bool uniform = true;       // as many ranks on each node
  bool consecutive = true;   // the ranks of each node follow one another

  std::int32_t nodes() const { return static_cast<std::int32_t>(leaders.size()); }
  std::span<const std::int32_t> on_node(std::int32_t node) const {
    return std::span(members).subspan(first[node], first[node + 1] - first[node]);
  }
  std::span<const std::int32_t> beside(std::int32_t rank) const { return on_node(node_of[rank]); }
  std::int32_t leader_of(std::int32_t rank) const { return leaders[node_of[rank]]; }
  bool leads(std::int32_t rank) const { return leader_of(rank) == rank; }
  std::int32_t place_in_node(std::int32_t rank) const {
    const std::span<const std::int32_t> ranks = beside(rank);
    return static_cast<std::int32_t>(std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin());
  }
  std::int32_t on_each_node() const { return uniform ? first[1] - first[0] : 0; }  // 0: nodes differ
};

// Made when it is first asked for.
NodeMap& node_map(Communicator& communicator);

}  // namespace pysmpi
