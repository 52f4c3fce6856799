// Construction of the node map of a communicator.
#include "matching/node_map.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "engine/simulation.hpp"

namespace pysmpi {

namespace {

// Return the host of a member with this world rank. All members of MPI_COMM_SELF, and of communicators outside a
// simulation, are on host 0.
HostId host_of(const Communicator& communicator, RankId world) {
  return communicator.self || !simulation_active() ? 0 : simulation().host_of(world);
}

// Builds a node map. `in_order`: all ranks of the communicator, in the order of the map. `world`: the world rank of
// each rank.
std::shared_ptr<NodeMap> build(const Communicator& communicator, const std::vector<std::int32_t>& in_order,
                               const std::vector<RankId>& world) {
  auto map = std::make_shared<NodeMap>();
  map->places = 0xcbf29ce484222325;  // hash of the hosts in rank order (FNV-1a)
  const std::int32_t size = communicator.size();
  std::unordered_map<HostId, std::int32_t> node_of_host;  // only looked up, so its order does not matter
  std::vector<std::int32_t> ranks_on;
  map->node_of.resize(size);
  for (const std::int32_t rank : in_order) {
    const HostId host = host_of(communicator, world[rank]);
    const auto [found, is_new] = node_of_host.try_emplace(host, map->nodes());
    if (is_new) {
      map->leaders.push_back(rank);
      ranks_on.push_back(0);
    }
    map->node_of[rank] = found->second;
    ++ranks_on[found->second];
  }
  for (std::int32_t rank = 0; !communicator.self && rank < size; ++rank) {
    map->places = (map->places ^ host_of(communicator, world[rank])) * 0x100000001b3;
  }
  map->first.assign(1, 0);
  for (const std::int32_t ranks : ranks_on) {
    map->first.push_back(map->first.back() + ranks);
    map->uniform = map->uniform && ranks == ranks_on[0];
  }
  map->members.resize(size);
  std::vector<std::int32_t> next(map->first.begin(), map->first.end() - 1);
  for (const std::int32_t rank : in_order) {
    std::int32_t& place = next[map->node_of[rank]];
    map->consecutive = map->consecutive && place == rank;
    map->members[place++] = rank;
  }
  return map;
}

std::vector<std::int32_t> all_ranks(const Communicator& communicator) {
  std::vector<std::int32_t> ranks(communicator.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

std::vector<RankId> world_ranks(const Communicator& communicator) {
  std::vector<RankId> world(communicator.size());
  for (std::int32_t rank = 0; rank < communicator.size(); ++rank) {
    world[rank] = communicator.self ? 0 : communicator.world(rank);
  }
  return world;
}

}  // namespace

NodeMap& node_map(Communicator& communicator) {
  if (!communicator.nodes) {
    const std::vector<RankId> world = world_ranks(communicator);
    std::vector<std::int32_t> by_world = all_ranks(communicator);
    if (!std::ranges::is_sorted(world)) {
      std::ranges::sort(by_world, {}, [&world](std::int32_t rank) { return world[rank]; });
    }
    communicator.nodes = build(communicator, by_world, world);
  }
  return *communicator.nodes;
}

const NodeMap& node_map_in_rank_order(Communicator& communicator) {
  if (!communicator.nodes_in_rank_order) {
    const std::vector<RankId> world = world_ranks(communicator);
    if (std::ranges::is_sorted(world)) {
      node_map(communicator);
      communicator.nodes_in_rank_order = communicator.nodes;
    } else {
      communicator.nodes_in_rank_order = build(communicator, all_ranks(communicator), world);
    }
  }
  return *communicator.nodes_in_rank_order;
}

void share_node_map(Communicator& from, Communicator& to) {
  node_map(from);
  to.nodes = from.nodes;
  to.nodes_in_rank_order = from.nodes_in_rank_order;
}

}  // namespace pysmpi
