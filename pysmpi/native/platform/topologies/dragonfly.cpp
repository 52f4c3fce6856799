// SimGrid's cluster DRAGONFLY, after the Cray Cascade: groups consist of chassis, chassis of blades (routers), and each
// blade has some hosts (G. Faanes et al., "Cray Cascade: a scalable HPC system based on a Dragonfly network", SC 2012).
#include "platform/fabric.hpp"
#include "platform/make_cluster.hpp"
#include "platform/pairs.hpp"
#include "platform/topologies/dragonfly_global.hpp"

namespace pysmpi {
namespace {

// One level of the hierarchy: the number of its units, and the number of cables bundled into a link between two units.
struct DragonflyTier {
  std::uint32_t count;
  std::uint32_t cables;
};

struct DragonflyShape {
  DragonflyTier groups;   // groups, joined by blue links
  DragonflyTier chassis;  // chassis of a group, joined by black links
  DragonflyTier blades;   // blades of a chassis, joined by green links
  std::uint32_t hosts;    // hosts on each blade
};

class Dragonfly final : public SwitchedFabric {
 public:
  // `earlier_cables` counts the cables of dragonflies described before, which SimGrid adds to numbers in link names.
  Dragonfly(std::string name, Point place, std::uint32_t depth, ClusterSettings settings, const DragonflyShape& shape,
            std::uint32_t earlier_cables);

  // A walk changes its channel in each group that it enters: over one group at most if minimal, else over two.
  std::uint32_t channels() const override { return routing() == RoutingChoice::kOne ? 2 : 3; }

 protected:
  std::uint32_t nodes() const override;
  void append_minimal(std::uint32_t from, std::uint32_t to, Route& out) const override;
  // Appends a walk over a random group (Kim et al., ISCA 2008), or over a random router if both ends are in one group.
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
  // Appends the walk from the router `at` to another group, and sets `at` to the router where the walk enters that
  // group.
  void append_to_group(Router& at, std::uint32_t group, Route& out) const;
  void append_in_group(Router at, const Router& target, Route& out) const;

  DragonflyShape shape_;
  std::uint32_t earlier_cables_;
  Divider blades_, chassis_;
  std::uint32_t blade_pairs_, chassis_pairs_;
  std::uint32_t first_green_, first_black_, first_blue_, end_;  // numbers of cables; the hosts' cables come first
};

std::string between(Pair pair) { return std::to_string(pair.low) + "_and_" + std::to_string(pair.high); }

Dragonfly::Dragonfly(std::string name, Point place, std::uint32_t depth, ClusterSettings settings,
                     const DragonflyShape& shape, std::uint32_t earlier_cables)
    : SwitchedFabric(std::move(name), place, depth, std::move(settings), shape.hosts),
      shape_(shape),
      earlier_cables_(earlier_cables),
      blades_(shape.blades.count),
      chassis_(shape.chassis.count),
      blade_pairs_(pair_count(shape.blades.count)),
      chassis_pairs_(pair_count(shape.chassis.count)),
      first_green_(host_count()),
      first_black_(first_green_ + shape.groups.count * shape.chassis.count * blade_pairs_),
      first_blue_(first_black_ + shape.groups.count * chassis_pairs_ * shape.blades.count),
      end_(first_blue_ + pair_count(shape.groups.count)) {}

Dragonfly::Router Dragonfly::router_at(std::uint32_t number) const {
  const std::uint32_t chassis = blades_.quotient(number);
  const std::uint32_t group = chassis_.quotient(chassis);
  return {group, chassis - group * shape_.chassis.count, number - chassis * shape_.blades.count};
}

void Dragonfly::append_green(const Router& from, std::uint32_t blade, Route& out) const {
  const std::uint32_t cable = first_green_ + (from.group * shape_.chassis.count + from.chassis) * blade_pairs_ +
                              pair_number(from.blade, blade, shape_.blades.count);
  append_step(number(from), towards(cable, from.blade, blade), out);
}

void Dragonfly::append_black(const Router& from, std::uint32_t chassis, Route& out) const {
  const std::uint32_t cable =
      first_black_ +
      (from.group * chassis_pairs_ + pair_number(from.chassis, chassis, shape_.chassis.count)) * shape_.blades.count +
      from.blade;
  append_step(number(from), towards(cable, from.chassis, chassis), out);
}

void Dragonfly::append_to_group(Router& at, std::uint32_t group, Route& out) const {
  // The only link to a group is at the blade with the group's number in the first chassis.
  if (at.blade != group) {
    append_green(at, group, out);
    at.blade = group;
  }
  if (at.chassis != 0) {
    append_black(at, 0, out);
    at.chassis = 0;
  }
  const std::uint32_t cable = first_blue_ + pair_number(at.group, group, shape_.groups.count);
  append_cable(towards(cable, at.group, group), out);
  out.use_channel(out.channel() + 1);
  append_limiter(host_count() + number(at), out);
  at = {group, 0, at.group};
}

void Dragonfly::append_in_group(Router at, const Router& target, Route& out) const {
  if (at.blade != target.blade) {
    append_green(at, target.blade, out);
    at.blade = target.blade;
  }
  if (at.chassis != target.chassis) append_black(at, target.chassis, out);
}

void Dragonfly::append_minimal(std::uint32_t from, std::uint32_t to, Route& out) const {
  const Router target = router_at(to);
  Router at = router_at(from);
  if (at.group != target.group) {
    append_to_group(at, target.group, out);
  } else if (at.blade != target.blade) {
    append_green(at, target.blade, out);
    // The green cable leads to a blade in the same chassis, but SimGrid continues as if that blade were in the first
    // chassis.
    at = {target.group, 0, target.blade};
  }
  append_in_group(at, target, out);
}

void Dragonfly::append_detour(std::uint32_t from, std::uint32_t to, Draw& draw, Route& out) const {
  const Router target = router_at(to);
  Router at = router_at(from);
  if (at.group == target.group) {
    const Router middle{at.group, draw.below(shape_.chassis.count), draw.below(shape_.blades.count)};
    append_in_group(at, middle, out);
    out.use_channel(1);
    append_in_group(middle, target, out);
    return;
  }
  const std::uint32_t middle = draw.below(shape_.groups.count);
  if (middle != at.group && middle != target.group) append_to_group(at, middle, out);
  append_to_group(at, target.group, out);
  append_in_group(at, target, out);
}

LinkSettings Dragonfly::cable_link(std::uint32_t index) const {
  const std::uint32_t cable = index / width();
  if (cable < first_green_) return plain_cable();
  if (cable < first_black_) return plain_cable(shape_.blades.cables);
  if (cable < first_blue_) return plain_cable(shape_.chassis.cables);
  return plain_cable(shape_.groups.cables);
}

std::string Dragonfly::cable_link_name(std::uint32_t index) const {
  const std::uint32_t cable = index / width();
  std::string text;
  if (cable < first_green_) {
    text = "local_link_from_router_" + std::to_string(cable / shape_.hosts) + "_to_node_" +
           std::to_string(cable % shape_.hosts);
  } else if (cable < first_black_) {
    const std::uint32_t place = cable - first_green_;
    text = "green_link_in_chassis_" + std::to_string(place / blade_pairs_ % shape_.chassis.count) +
           "_between_routers_" + between(pair_at(place % blade_pairs_, shape_.blades.count));
  } else if (cable < first_blue_) {
    const std::uint32_t place = (cable - first_black_) / shape_.blades.count;
    text = "black_link_in_group_" + std::to_string(place / chassis_pairs_) + "_between_chassis_" +
           between(pair_at(place % chassis_pairs_, shape_.chassis.count)) + "_blade_" +
           std::to_string((cable - first_black_) % shape_.blades.count);
  } else {
    const Pair groups = pair_at(cable - first_blue_, shape_.groups.count);
    const std::uint32_t routers = shape_.chassis.count * shape_.blades.count;
    text = "blue_link_between_group_" + between(groups) + "_routers_" +
           between({groups.low * routers + groups.high, groups.high * routers + groups.low});
  }
  return with_direction(text + "_" + std::to_string(earlier_cables_ + cable), index);
}

std::uint32_t Dragonfly::nodes() const { return shape_.groups.count * shape_.chassis.count * shape_.blades.count; }

// SimGrid numbers the routers downwards from twice the number of hosts.
std::string Dragonfly::limiter_number(std::uint32_t index) const {
  if (index < host_count()) return std::to_string(index);
  return std::to_string(std::uint64_t{2} * host_count() - 1 - (index - host_count()));
}

// Makes the cluster from `plan.parameters`: the numbers of groups, blue cables, chassis, black cables, blades, green
// cables, hosts on a blade, and cables of a blade to other groups (0: one link between two groups, as in SimGrid).
std::unique_ptr<Cluster> make_dragonfly(ClusterPlan plan) {
  const auto values = plan.parameters;
  if (values[7] > 0) {
    return make_global_dragonfly(std::move(plan), {.groups = values[0],
                                                   .columns = values[2],
                                                   .column_cables = values[3],
                                                   .rows = values[4],
                                                   .row_cables = values[5],
                                                   .hosts = values[6],
                                                   .global = values[7],
                                                   .bundled = values[1]});
  }
  const DragonflyShape shape{{values[0], values[1]}, {values[2], values[3]}, {values[4], values[5]}, values[6]};
  return std::make_unique<Dragonfly>(std::move(plan.name), plan.place, plan.depth, std::move(plan.settings), shape,
                                     plan.earlier.cables);
}

const TopologyRegistration dragonfly_registration("DRAGONFLY", make_dragonfly);

}  // namespace
}  // namespace pysmpi
