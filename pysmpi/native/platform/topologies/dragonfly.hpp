// SimGrid's cluster DRAGONFLY: groups of chassis of blades (routers) of hosts, after the Cray Cascade, with minimal
// routing (G. Faanes et al., "Cray Cascade: a scalable HPC system based on a Dragonfly network", SC 2012).
#pragma once

#include "platform/fabric.hpp"

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

class Dragonfly final : public SwitchedFabric {
 public:
  // `earlier_cables`: those of the dragonflies described before, which SimGrid counts in the names of links.
  Dragonfly(std::string name, Point place, std::uint32_t depth, ClusterSettings settings, const DragonflyShape& shape,
            std::uint32_t earlier_cables);

  std::uint32_t cable_count() const { return end_; }

 protected:
  std::uint32_t nodes() const override;
  void append_minimal(std::uint32_t from, std::uint32_t to, Route& out) const override;
  // By way of a group drawn at random, as Kim et al. (ISCA 2008) have it; inside a group, by way of any router.
  void append_detour(std::uint32_t from, std::uint32_t to, Draw& draw, Route& out) const override;

  std::uint32_t cable_links() const override { return end_ * width(); }
  LinkSettings cable_link(std::uint32_t index) const override;
  std::string cable_link_name(std::uint32_t index) const override;
  std::string limiter_number(std::uint32_t index) const override;

 private:
  struct Router {
    std::uint32_t group, chassis, blade;
  };
  Router router_at(std::uint32_t number) const;
  std::uint32_t number(const Router& router) const {
    return (router.group * shape_.chassis.count + router.chassis) * shape_.blades.count + router.blade;
  }
  void append_green(const Router& from, std::uint32_t blade, Route& out) const;
  void append_black(const Router& from, std::uint32_t chassis, Route& out) const;
  // Into another group, from wherever it is in its own.
  void append_to_group(Router& at, std::uint32_t group, Route& out) const;
  void append_in_group(Router at, const Router& target, Route& out) const;

  DragonflyShape shape_;
  std::uint32_t earlier_cables_;
  Divider blades_, chassis_;
  std::uint32_t blade_pairs_, chassis_pairs_;
  std::uint32_t first_green_, first_black_, first_blue_, end_;  // cables; local ones come first, one for each host
};

}  // namespace pysmpi
