// Table of the shortest paths between all pairs of members. Among equally short paths, the table contains the path that
// SimGrid chooses.
#include "platform/zones/floyd_zone.hpp"

#include <limits>

#include "platform/zoned_platform.hpp"

namespace pysmpi {

void FloydZone::seal(LinkId loopback) {
  RoutedZone::seal(loopback);
  constexpr auto kFar = std::numeric_limits<std::uint32_t>::max();
  const std::size_t size = members();
  predecessor_.assign(size * size, kNone);
  std::vector<std::uint32_t> cost(size * size, kFar);
  for (const ListedRoute& route : routes_.all()) {
    predecessor_[route.source * size + route.destination] = route.source;
    cost[route.source * size + route.destination] = route.hop_count;
  }
  if (has_loopback()) {
    for (std::uint32_t member = 0; member < size; ++member) {
      if (routes_.find(member, member) != nullptr) continue;
      predecessor_[member * size + member] = member;
      cost[member * size + member] = 1;
    }
  }
  for (std::size_t via = 0; via < size; ++via) {
    for (std::size_t from = 0; from < size; ++from) {
      const std::uint32_t to_via = cost[from * size + via];
      if (to_via == kFar) continue;
      for (std::size_t to = 0; to < size; ++to) {
        const std::uint32_t onwards = cost[via * size + to];
        if (onwards == kFar || to_via + onwards >= cost[from * size + to]) continue;
        cost[from * size + to] = to_via + onwards;
        predecessor_[from * size + to] = predecessor_[via * size + to];
      }
    }
  }
}

bool FloydZone::append_path(std::uint32_t source, std::uint32_t destination, Route& out, Gateways& gateways) const {
  const std::uint32_t before = predecessor_[std::size_t{source} * members() + destination];
  if (before == kNone) return false;
  if (before != source && !append_path(source, before, out, gateways)) return false;
  const ListedRoute* last = routes_.find(before, destination);
  if (last == nullptr) return append_loopback(out);
  if (before == source) {
    gateways.source = last->gateways.source;
  } else if (has_zones() && !(gateways.destination == last->gateways.source)) {
    // Two routes that meet in a zone may use different gateways of that zone. A route between these gateways joins
    // them.
    if (!platform_.global_route(gateways.destination, last->gateways.source, out)) return false;
  }
  for (const Hop& hop : routes_.hops(*last)) hop.append_to(out);
  gateways.destination = last->gateways.destination;
  return true;
}

bool FloydZone::local_route(std::uint32_t source, std::uint32_t destination, Route& out, Gateways& gateways) const {
  return append_path(source, destination, out, gateways);
}

}  // namespace pysmpi
