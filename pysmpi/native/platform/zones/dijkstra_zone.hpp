// SimGrid's routings "Dijkstra" and "DijkstraCache": shortest paths over the routes that the platform description
// lists, counted in links. The search from a source runs when the first route from it is needed.
#pragma once

#include <unordered_map>
#include <vector>

#include "platform/zones/full_zone.hpp"

namespace pysmpi {

class ZonedPlatform;

class DijkstraZone final : public RoutedZone {
 public:
  // Keeps the trees of shortest paths of all sources (`keep_all`), or only the tree of the last source.
  DijkstraZone(std::string name, Point place, std::uint32_t depth, const ZonedPlatform& platform, bool keep_all)
      : RoutedZone(std::move(name), place, depth), platform_(platform), keep_all_(keep_all) {}

  bool local_route(std::uint32_t source, std::uint32_t destination, Route& out, Gateways& gateways) const override;
  void seal(LinkId loopback) override;

 private:
  struct Edge {
    std::uint32_t node;
    std::uint32_t links;
  };
  const std::vector<std::uint32_t>& tree_from(std::uint32_t source) const;
  bool append_path(const std::vector<std::uint32_t>& tree, std::uint32_t source, std::uint32_t destination, Route& out,
                   Gateways& gateways) const;

  const ZonedPlatform& platform_;
  bool keep_all_;
  // The nodes of the graph are the members that listed routes name. They are numbered in the order in which the routes
  // name them, because SimGrid's choice among equally short paths depends on this order.
  std::vector<std::uint32_t> node_of_member_, member_of_node_;
  std::vector<std::uint32_t> first_edge_;
  std::vector<Edge> edges_;
  mutable std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> trees_;  // predecessors, by source node
};

}  // namespace pysmpi
