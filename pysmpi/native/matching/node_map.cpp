// Construction of the node map of a communicator.
#include "matching/node_map.hpp"

#include <algorithm>
#include <unordered_map>

#include "engine/simulation.hpp"

namespace pysmpi {

NodeMap& node_map(Communicator& communicator) {
  if (communicator.nodes) return *communicator.nodes;
  auto map = std::make_shared<NodeMap>();
  map->places = 0xcbf29ce484222325;  // hash of the hosts in rank order (FNV-1a)
  const std::int32_t size = communicator.size();
  std::vector<RankId> world(size);
  std::vector<std::int32_t> by_world(size);
  for (std::int32_t rank = 0; rank < size; ++rank) {
    world[rank] = communicator.self ? 0 : communicator.world(rank);
    by_world[rank] = rank;
  }
  if (!std::ranges::is_sorted(world)) {
    std::ranges::sort(by_world, {}, [&world](std::int32_t rank) { return world[rank]; });
  }
  std::unordered_map<HostId, std::int32_t> node_of_host;  // only looked up, so its order does not matter
  std::vector<std::int32_t> ranks_on;
  map->node_of.resize(size);
  for (const std::int32_t rank : by_world) {
    const HostId host = communicator.self ? 0 : simulation().host_of(world[rank]);
    const auto [found, is_new] = node_of_host.try_emplace(host, map->nodes());
    if (is_new) {
      map->leaders.push_back(rank);
      ranks_on.push_back(0);
    }
    map->node_of[rank] = found->second;
    ++ranks_on[found->second];
  }
  for (std::int32_t rank = 0; !communicator.self && rank < size; ++rank) {
    map->places = (map->places ^ simulation().host_of(world[rank])) * 0x100000001b3;
  }
  map->first.assign(1, 0);
  for (const std::int32_t ranks : ranks_on) {
    map->first.push_back(map->first.back() + ranks);
    map->uniform = map->uniform && ranks == ranks_on[0];
  }
  map->members.resize(size);
  std::vector<std::int32_t> next(map->first.begin(), map->first.end() - 1);
  for (const std::int32_t rank : by_world) {
    std::int32_t& place = next[map->node_of[rank]];
    map->consecutive = map->consecutive && place == rank;
    map->members[place++] = rank;
  }
  communicator.nodes = std::move(map);
  return *communicator.nodes;
}

void share_node_map(Communicator& from, Communicator& to) {
  node_map(from);
  to.nodes = from.nodes;
}

}  // namespace pysmpi
