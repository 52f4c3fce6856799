// Search for the shortest paths from one source. Links are ordered, and latencies added, as in SimGrid.
#include "platform/zones/dijkstra_zone.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <utility>

#include "platform/zoned_platform.hpp"

namespace pysmpi {

void DijkstraZone::seal(LinkId loopback) {
  RoutedZone::seal(loopback);
  node_of_member_.assign(members(), kNone);
  for (const ListedRoute& route : routes_.all()) {
    for (const std::uint32_t member : {route.source, route.destination}) {
      if (node_of_member_[member] != kNone) continue;
      node_of_member_[member] = static_cast<std::uint32_t>(member_of_node_.size());
      member_of_node_.push_back(member);
    }
  }
  first_edge_.assign(member_of_node_.size() + 1, 0);
  for (const ListedRoute& route : routes_.all()) ++first_edge_[node_of_member_[route.source] + 1];
  for (std::size_t node = 1; node < first_edge_.size(); ++node) first_edge_[node] += first_edge_[node - 1];
  edges_.resize(routes_.all().size());
  std::vector<std::uint32_t> next(first_edge_);
  for (const ListedRoute& route : routes_.all()) {
    edges_[next[node_of_member_[route.source]]++] = {node_of_member_[route.destination], route.hop_count};
  }
}

const std::vector<std::uint32_t>& DijkstraZone::tree_from(std::uint32_t source) const {
  if (const auto known = trees_.find(source); known != trees_.end()) return known->second;
  if (!keep_all_) trees_.clear();
  std::vector<std::uint32_t>& predecessor = trees_[source];
  predecessor.assign(member_of_node_.size(), kNone);
  std::vector<std::uint32_t> cost(member_of_node_.size(), std::numeric_limits<std::uint32_t>::max());
  using Entry = std::pair<std::uint32_t, std::uint32_t>;  // cost and node; among equal costs the lower node comes first
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  cost[source] = 0;
  queue.emplace(0, source);
  while (!queue.empty()) {
    const auto [reached, node] = queue.top();
    queue.pop();
    if (reached != cost[node]) continue;
    for (std::uint32_t edge = first_edge_[node]; edge < first_edge_[node + 1]; ++edge) {
      const auto [neighbour, links] = edges_[edge];
      if (reached + links >= cost[neighbour]) continue;
      cost[neighbour] = reached + links;
      predecessor[neighbour] = node;
      queue.emplace(cost[neighbour], neighbour);
    }
  }
  return predecessor;
}

// SimGrid builds a path from its end: it adds latencies from the last route to the first, and reverses the links of
// each listed route.
bool DijkstraZone::append_path(const std::vector<std::uint32_t>& tree, std::uint32_t source, std::uint32_t destination,
                               Route& out, Gateways& gateways) const {
  const std::uint32_t before = tree[destination];
  if (before == kNone) return false;
  const ListedRoute& last = *routes_.find(member_of_node_[before], member_of_node_[destination]);
  const auto hops = routes_.hops(last);
  for (const Hop& hop : hops) out.latency += hop.latency;
  if (before == source) {
    gateways.source = last.gateways.source;
  } else {
    if (!append_path(tree, source, before, out, gateways)) return false;
    if (has_zones() && !(gateways.destination == last.gateways.source) &&
        !platform_.global_route(gateways.destination, last.gateways.source, out)) {
      return false;
    }
  }
  std::for_each(hops.rbegin(), hops.rend(), [&out](const Hop& hop) { out.links.push_back(hop.link); });
  gateways.destination = last.gateways.destination;
  return true;
}

bool DijkstraZone::local_route(std::uint32_t source, std::uint32_t destination, Route& out, Gateways& gateways) const {
  const auto before = static_cast<std::ptrdiff_t>(out.links.size());
  const std::uint32_t from = node_of_member_[source];
  const std::uint32_t to = node_of_member_[destination];
  if (from == kNone || to == kNone) return false;
  if (source != destination) {
    // The reference to the tree stays valid: building a path of this zone never needs another route of this zone.
    if (!append_path(tree_from(from), from, to, out, gateways)) return false;
  } else if (const ListedRoute* listed = routes_.find(source, source)) {
    const auto hops = routes_.hops(*listed);
    std::for_each(hops.rbegin(), hops.rend(), [&out](const Hop& hop) { out.links.push_back(hop.link); });
    for (const Hop& hop : hops) out.latency += hop.latency;
  } else if (!has_loopback()) {
    return false;
  } else {
    append_loopback(out);
  }
  // In SimGrid's order, the links of this path precede those that the present part of the route across zones already
  // has.
  std::rotate(out.links.begin() + static_cast<std::ptrdiff_t>(out.begin), out.links.begin() + before, out.links.end());
  return true;
}

}  // namespace pysmpi
