// Zones whose routes are listed one by one.
#pragma once

#include "platform/route_table.hpp"
#include "platform/zone.hpp"

namespace pysmpi {

// A zone with a table of listed routes, from which its class of routing makes the others.
class RoutedZone : public Zone {
 public:
  using Zone::Zone;

  RouteTable& routes() { return routes_; }

  void seal(LinkId loopback) override { loopback_ = loopback; }

 protected:
  // By the link of the network model by which a host reaches itself. Its latency is an option, so it is read late.
  bool append_loopback(Route& out) const;
  bool has_loopback() const { return !has_zones() && loopback_ != kNone; }

  RouteTable routes_;

 private:
  LinkId loopback_ = kNone;
};

// SimGrid's routing "Full": every route is listed.
class FullZone final : public RoutedZone {
 public:
  using RoutedZone::RoutedZone;
  bool local_route(std::uint32_t source, std::uint32_t destination, Route& out, Gateways& gateways) const override;
};

// SimGrid's routing "None": there are no routes at all.
class EmptyZone final : public Zone {
 public:
  using Zone::Zone;
  bool local_route(std::uint32_t, std::uint32_t, Route&, Gateways&) const override { return false; }
};

}  // namespace pysmpi
