// SimGrid's cluster DRAGONFLY: groups of chassis of blades (routers) of hosts, after the Cray Cascade, with minimal
// routing (G. Faanes et al., "Cray Cascade: a scalable HPC system based on a Dragonfly network", SC 2012).
#pragma once

#include "platform/cluster.hpp"
#include "platform/divider.hpp"

namespace pysmpi {

// A number of things and the number of cables bundled into one link between any two of them.
struct DragonflyTier {
  std::uint32_t count;
  std::uint32_t cables;
};

struct DragonflyShape {
  DragonflyTier groups;   // blue links
  DragonflyTier chassis;  // in a group, black links
  DragonflyTier blades;   // in a chassis, green links
  std::uint32_t hosts;    // of a blade
};

class Dragonfly final : public Cluster {
 public:
  // `earlier_cables`: those of the dragonflies described before, which SimGrid counts in the names of links.
  Dragonfly(std::string name, Point place, std::uint32_t depth, ClusterSettings settings, const DragonflyShape& shape,
            std::uint32_t earlier_cables);

  std::uint32_t cable_count() const { return end_; }

  bool local_route(std::uint32_t source, std::uint32_t destination, Route& out, Gateways& gateways) const override;

 protected:
  std::uint32_t cable_links() const override { return end_ * width(); }
  LinkSettings cable_link(std::uint32_t index) const override;
  std::string cable_link_name(std::uint32_t index) const override;
  std::uint32_t switches() const override;
  std::string limiter_number(std::uint32_t index) const override;

 private:
  struct Router {
    std::uint32_t group, chassis, blade;
  };
  Router router_of(std::uint32_t host) const;
  std::uint32_t number(const Router& router) const {
    return (router.group * shape_.chassis.count + router.chassis) * shape_.blades.count + router.blade;
  }
  // Cables lie from the lower to the higher of two numbers: from `from` to `to` they go up or down.
  LinkId towards(std::uint32_t cable, std::uint32_t from, std::uint32_t to) const {
    return from < to ? up(cable) : down(cable);
  }
  void append_green(const Router& from, std::uint32_t blade, Route& out) const;
  void append_black(const Router& from, std::uint32_t chassis, Route& out) const;
  void append_router_limiter(const Router& router, Route& out) const {
    append_limiter(host_count() + number(router), out);
  }

  DragonflyShape shape_;
  std::uint32_t earlier_cables_;
  Divider hosts_per_blade_, blades_, chassis_;
  std::uint32_t blade_pairs_, chassis_pairs_;
  std::uint32_t first_green_, first_black_, first_blue_, end_;  // cables; local ones come first, one for each host
};

}  // namespace pysmpi
