// Construction of the node map of a communicator.
#include "matching/node_map.hpp"

#include <unordered_map>

#include "engine/simulation.hpp"

namespace pysmpi {

NodeMap& node_map(Communicator& communicator) {
  if (communicator.nodes) return *communicator.nodes;
  auto map = std::make_shared<NodeMap>();
  map->places = 0xcbf29ce484222325;  // hash of the hosts in rank order (FNV-1a)
  const std::int32_t size = communicator.size();
  std::unordered_map<HostId, std::int32_t> node_of_host;  // only looked up, so its order does not matter
  std::vector<std::int32_t> ranks_on;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    const HostId host = communicator.self ? 0 : simulation().host_of(communicator.world(rank));
    map->places = (map->places ^ host) * 0x100000001b3;
    const auto [found, is_new] = node_of_host.try_emplace(host, map->nodes());
    if (is_new) {
      map->leaders.push_back(rank);
      ranks_on.push_back(0);
    }
    map->node_of.push_back(found->second);
    ++ranks_on[found->second];
  }
  map->first.assign(1, 0);
  for (const std::int32_t ranks : ranks_on) {
    map->first.push_back(map->first.back() + ranks);
    map->uniform = map->uniform && ranks == ranks_on[0];
  }
  map->members.resize(size);
  std::vector<std::int32_t> next(map->first.begin(), map->first.end() - 1);
  for (std::int32_t rank = 0; rank < size; ++rank) {
    std::int32_t& place = next[map->node_of[rank]];
    map->consecutive = map->consecutive && map->leader_of(rank) + place - map->first[map->node_of[rank]] == rank;
    map->members[place++] = rank;
  }
  communicator.nodes = std::move(map);
  return *communicator.nodes;
}

}  // namespace pysmpi
