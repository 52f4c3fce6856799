// Zones whose routes are listed one by one in the platform description.
#pragma once

#include "platform/route_table.hpp"
#include "platform/zone.hpp"

namespace pysmpi {

// A zone with a table of listed routes, from which its routing derives all other routes.
class RoutedZone : public Zone {
 public:
  using Zone::Zone;

  RouteTable& routes() { return routes_; }

  void seal(LinkId loopback) override { loopback_ = loopback; }

 protected:
  // Appends the network model's link from a host to itself. Its latency is an option, which is read here because it may
  // change until the simulation begins.
  bool append_loopback(Route& out) const;
  bool has_loopback() const { return !has_zones() && loopback_ != kNone; }

  RouteTable routes_;

 private:
  LinkId loopback_ = kNone;
};

// SimGrid's routing "Full": the platform description lists every route.
class FullZone final : public RoutedZone {
 public:
  using RoutedZone::RoutedZone;
  bool local_route(std::uint32_t source, std::uint32_t destination, Route& out, Gateways& gateways) const override;
};

// SimGrid's routing "None", which has no routes.
class EmptyZone final : public Zone {
 public:
  using Zone::Zone;
  bool local_route(std::uint32_t, std::uint32_t, Route&, Gateways&) const override { return false; }
};

}  // namespace pysmpi
