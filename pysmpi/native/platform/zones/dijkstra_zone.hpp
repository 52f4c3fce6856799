// SimGrid's routings "Dijkstra" and "DijkstraCache": shortest paths of listed routes, counted in links, searched from a
// source when a route from it is asked for.
#pragma once

#include <unordered_map>
#include <vector>

#include "platform/zones/full_zone.hpp"

namespace pysmpi {

class ZonedPlatform;

class DijkstraZone final : public RoutedZone {
 public:
  // The trees of shortest paths are kept for all sources asked for, or only for the last one.
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
  // Nodes are the members that listed routes name, in the order in which they name them: SimGrid's ties depend on it.
  std::vector<std::uint32_t> node_of_member_, member_of_node_;
  std::vector<std::uint32_t> first_edge_;
  std::vector<Edge> edges_;
  mutable std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> trees_;  // by source node: predecessors
};

}  // namespace pysmpi
