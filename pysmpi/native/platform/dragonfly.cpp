#include "platform/dragonfly.hpp"

#include <algorithm>

namespace pysmpi {
namespace {

std::uint32_t pair_count(std::uint32_t things) { return things * (things - 1) / 2; }

// Pairs (low, high) of `things` in lexicographic order.
std::uint32_t pair_number(std::uint32_t one, std::uint32_t other, std::uint32_t things) {
  const std::uint32_t low = std::min(one, other);
  const std::uint32_t high = std::max(one, other);
  return low * (2 * things - low - 1) / 2 + high - low - 1;
}

struct Pair {
  std::uint32_t low, high;
};

Pair pair_at(std::uint32_t number, std::uint32_t things) {
  std::uint32_t low = 0;
  while (number >= things - 1 - low) number -= things - 1 - low++;
  return {low, low + 1 + number};
}

std::string between(Pair pair) { return std::to_string(pair.low) + "_and_" + std::to_string(pair.high); }

}  // namespace

Dragonfly::Dragonfly(std::string name, Point place, std::uint32_t depth, ClusterSettings settings,
                     const DragonflyShape& shape, std::uint32_t earlier_cables)
    : Cluster(std::move(name), place, depth, std::move(settings)),
      shape_(shape),
      earlier_cables_(earlier_cables),
      hosts_per_blade_(shape.hosts),
      blades_(shape.blades.count),
      chassis_(shape.chassis.count),
      blade_pairs_(pair_count(shape.blades.count)),
      chassis_pairs_(pair_count(shape.chassis.count)),
      first_green_(host_count()),
      first_black_(first_green_ + shape.groups.count * shape.chassis.count * blade_pairs_),
      first_blue_(first_black_ + shape.groups.count * chassis_pairs_ * shape.blades.count),
      end_(first_blue_ + pair_count(shape.groups.count)) {}

Dragonfly::Router Dragonfly::router_of(std::uint32_t host) const {
  const std::uint32_t router = hosts_per_blade_.quotient(host);
  const std::uint32_t chassis = blades_.quotient(router);
  const std::uint32_t group = chassis_.quotient(chassis);
  return {group, chassis - group * shape_.chassis.count, router - chassis * shape_.blades.count};
}

void Dragonfly::append_green(const Router& from, std::uint32_t blade, Route& out) const {
  const std::uint32_t cable = first_green_ + (from.group * shape_.chassis.count + from.chassis) * blade_pairs_ +
                              pair_number(from.blade, blade, shape_.blades.count);
  append_cable(towards(cable, from.blade, blade), out);
}

void Dragonfly::append_black(const Router& from, std::uint32_t chassis, Route& out) const {
  const std::uint32_t cable =
      first_black_ +
      (from.group * chassis_pairs_ + pair_number(from.chassis, chassis, shape_.chassis.count)) * shape_.blades.count +
      from.blade;
  append_cable(towards(cable, from.chassis, chassis), out);
}

bool Dragonfly::local_route(std::uint32_t source, std::uint32_t destination, Route& out, Gateways&) const {
  if (source == destination && has_loopback()) {
    append_loopback(source, out);
    return true;
  }
  const Router target = router_of(destination);
  Router at = router_of(source);
  const std::uint32_t source_group = at.group;
  const bool same_router = number(at) == number(target);

  append_limiter(source, out);
  append_cable(up(source), out);
  if (at.group != target.group) {
    // The only link to another group is that of the blade with the group's number, in the first chassis.
    if (at.blade != target.group) {
      append_router_limiter(at, out);
      append_green(at, target.group, out);
      at.blade = target.group;
    }
    if (at.chassis != 0) {
      append_router_limiter(at, out);
      append_black(at, 0, out);
      at.chassis = 0;
    }
    const std::uint32_t cable = first_blue_ + pair_number(source_group, target.group, shape_.groups.count);
    append_cable(towards(cable, source_group, target.group), out);
    append_router_limiter(at, out);
    at = {target.group, 0, source_group};
  }
  if (!same_router && at.blade != target.blade) {
    append_router_limiter(at, out);
    append_green(at, target.blade, out);
    // SimGrid goes on in the first chassis whatever chassis it was in.
    at = {target.group, 0, target.blade};
  }
  if (!same_router && at.chassis != target.chassis) {
    append_router_limiter(at, out);
    append_black(at, target.chassis, out);
  }
  append_router_limiter(target, out);
  append_cable(down(destination), out);
  append_limiter(destination, out);
  return true;
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

std::uint32_t Dragonfly::switches() const { return shape_.groups.count * shape_.chassis.count * shape_.blades.count; }

// SimGrid numbers the routers downwards from twice the number of hosts.
std::string Dragonfly::limiter_number(std::uint32_t index) const {
  if (index < host_count()) return std::to_string(index);
  return std::to_string(std::uint64_t{2} * host_count() - 1 - (index - host_count()));
}

}  // namespace pysmpi
