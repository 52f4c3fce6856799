// SimGrid's routing "Floyd": shortest paths over the one-hop routes that the platform description lists, counted in
// links.
#pragma once

#include <vector>

#include "platform/zones/full_zone.hpp"

namespace pysmpi {

class ZonedPlatform;

// The algorithm of Floyd and Warshall visits members in SimGrid's order, which decides among equally short paths. For
// this reason the zone keeps a table of all pairs, of 4 bytes each, unlike all other zones.
class FloydZone final : public RoutedZone {
 public:
  FloydZone(std::string name, Point place, std::uint32_t depth, const ZonedPlatform& platform)
      : RoutedZone(std::move(name), place, depth), platform_(platform) {}

  bool local_route(std::uint32_t source, std::uint32_t destination, Route& out, Gateways& gateways) const override;
  void seal(LinkId loopback) override;

 private:
  bool append_path(std::uint32_t source, std::uint32_t destination, Route& out, Gateways& gateways) const;

  const ZonedPlatform& platform_;
  std::vector<std::uint32_t> predecessor_;  // [source * members + destination], kNone if there is no path
};

}  // namespace pysmpi
