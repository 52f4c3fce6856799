// Dragonfly+: groups of leaf switches and spine switches. In a group, each leaf is joined to all spines. Hosts are on
// the leaves, and cables to other groups are on the spines (A. Shpiner, Z. Haramaty, S. Eliad, V. Zdornov, B. Gafni, E.
// Zahavi, "Dragonfly+: low cost topology for scaling datacenters", HiPINEB 2017).
#include "platform/fabric.hpp"
#include "platform/make_cluster.hpp"
#include "platform/pairs.hpp"

namespace pysmpi {
namespace {

struct DragonflyPlusShape {
  std::uint32_t groups;
  std::uint32_t cables;  // between any two groups
  std::uint32_t spines;  // spines of each group
  std::uint32_t leaves;  // leaves of each group
  std::uint32_t hosts;   // hosts of each leaf
};

// Switch numbers begin with the leaves. A group numbers its ports to other groups in rounds; a round has one cable to
// each other group. Each spine gets the same number of consecutive ports. Example: with 3 groups, 2 cables and 2
// spines, group 0 has ports to groups 1, 2, 1, 2, of which spine 0 gets the first two.
class DragonflyPlus final : public SwitchedFabric {
 public:
  DragonflyPlus(std::string name, Point place, std::uint32_t depth, ClusterSettings settings,
                const DragonflyPlusShape& shape);

  // Minimal walks go up, across and down. Detours use another channel in the group that they lead over, and a third one
  // on the way down in the destination's group.
  std::uint32_t channels() const override { return routing() == RoutingChoice::kOne ? 1 : 3; }

 protected:
  std::uint32_t nodes() const override { return shape_.groups * (shape_.leaves + shape_.spines); }

  // Appends a walk between leaves. The number of the destination leaf decides among spines and cables, as in D-mod-K.
  void append_minimal(std::uint32_t from, std::uint32_t to, Route& out) const override;
  // Appends a walk over a random group (as in the dragonfly of Kim et al.), with random cables and leaves, or over a
  // random spine if both ends are in one group.
  void append_detour(std::uint32_t from, std::uint32_t to, Draw& draw, Route& out) const override;

  std::uint32_t cable_links() const override { return end_ * width(); }
  LinkSettings cable_link(std::uint32_t) const override { return plain_cable(); }
  std::string cable_link_name(std::uint32_t index) const override;

 private:
  // Returns the spine of `group` to which its cable number `copy` to the group `other` is attached.
  std::uint32_t spine(std::uint32_t group, std::uint32_t other, std::uint32_t copy) const {
    return ports_.quotient(copy * (shape_.groups - 1) + (other < group ? other : other - 1));
  }
  std::uint32_t leaf_number(std::uint32_t group, std::uint32_t leaf) const { return group * shape_.leaves + leaf; }
  std::uint32_t spine_number(std::uint32_t group, std::uint32_t spine) const {
    return shape_.groups * shape_.leaves + group * shape_.spines + spine;
  }
  void append_up(std::uint32_t group, std::uint32_t leaf, std::uint32_t spine, Route& out) const;
  void append_across(std::uint32_t group, std::uint32_t other, std::uint32_t copy, Route& out) const;
  void append_down(std::uint32_t group, std::uint32_t spine, std::uint32_t leaf, Route& out) const;

  DragonflyPlusShape shape_;
  Divider leaves_, cables_, spines_;
  Divider ports_;  // number of ports of each spine to other groups
  std::uint32_t first_global_, end_;
};

DragonflyPlus::DragonflyPlus(std::string name, Point place, std::uint32_t depth, ClusterSettings settings,
                             const DragonflyPlusShape& shape)
    : SwitchedFabric(std::move(name), place, depth, std::move(settings), shape.hosts),
      shape_(shape),
      leaves_(shape.leaves),
      cables_(shape.cables),
      spines_(shape.spines),
      ports_(std::max(1u, (shape.cables * (shape.groups - 1) + shape.spines - 1) / shape.spines)),
      first_global_(host_count() + shape.groups * shape.leaves * shape.spines),
      end_(first_global_ + pair_count(shape.groups) * shape.cables) {}

void DragonflyPlus::append_up(std::uint32_t group, std::uint32_t leaf, std::uint32_t spine, Route& out) const {
  append_step(leaf_number(group, leaf), up(host_count() + leaf_number(group, leaf) * shape_.spines + spine), out);
}

void DragonflyPlus::append_down(std::uint32_t group, std::uint32_t spine, std::uint32_t leaf, Route& out) const {
  append_step(spine_number(group, spine), down(host_count() + leaf_number(group, leaf) * shape_.spines + spine), out);
}

void DragonflyPlus::append_across(std::uint32_t group, std::uint32_t other, std::uint32_t copy, Route& out) const {
  const std::uint32_t cable = first_global_ + pair_number(group, other, shape_.groups) * shape_.cables + copy;
  append_step(spine_number(group, spine(group, other, copy)), towards(cable, group, other), out);
}

void DragonflyPlus::append_minimal(std::uint32_t from, std::uint32_t to, Route& out) const {
  if (from == to) return;
  const std::uint32_t group = leaves_.quotient(from);
  const std::uint32_t target = leaves_.quotient(to);
  const std::uint32_t leaf = leaves_.remainder(from);
  const std::uint32_t target_leaf = leaves_.remainder(to);
  if (group == target) {
    const std::uint32_t middle = spines_.remainder(target_leaf);
    append_up(group, leaf, middle, out);
    append_down(group, middle, target_leaf, out);
    return;
  }
  const std::uint32_t copy = cables_.remainder(target_leaf);
  append_up(group, leaf, spine(group, target, copy), out);
  append_across(group, target, copy, out);
  append_down(target, spine(target, group, copy), target_leaf, out);
}

void DragonflyPlus::append_detour(std::uint32_t from, std::uint32_t to, Draw& draw, Route& out) const {
  const std::uint32_t group = leaves_.quotient(from);
  const std::uint32_t target = leaves_.quotient(to);
  const std::uint32_t leaf = leaves_.remainder(from);
  const std::uint32_t target_leaf = leaves_.remainder(to);
  if (group == target) {
    const std::uint32_t middle = draw.below(shape_.spines);
    append_up(group, leaf, middle, out);
    append_down(group, middle, target_leaf, out);
    return;
  }
  const std::uint32_t copy = draw.below(shape_.cables);
  const std::uint32_t middle = draw.below(shape_.groups);
  append_up(group, leaf, spine(group, middle == group ? target : middle, copy), out);
  if (middle == group || middle == target) {
    append_across(group, target, copy, out);
    append_down(target, spine(target, group, copy), target_leaf, out);
    return;
  }
  append_across(group, middle, copy, out);
  out.use_channel(1);
  const std::uint32_t next_copy = draw.below(shape_.cables);
  const std::uint32_t in = spine(middle, group, copy);
  const std::uint32_t next = spine(middle, target, next_copy);
  if (in != next) {
    const std::uint32_t between = draw.below(shape_.leaves);
    append_down(middle, in, between, out);
    append_up(middle, between, next, out);
  }
  append_across(middle, target, next_copy, out);
  out.use_channel(2);
  append_down(target, spine(target, middle, next_copy), target_leaf, out);
}

std::string DragonflyPlus::cable_link_name(std::uint32_t index) const {
  const std::uint32_t cable = index / width();
  if (cable < host_count()) return with_direction(host_cable_name(cable), index);
  if (cable < first_global_) {
    const std::uint32_t leaf = spines_.quotient(cable - host_count());
    const std::uint32_t spine = spines_.remainder(cable - host_count());
    return with_direction(cable_name(leaf, spine_number(leaves_.quotient(leaf), spine)), index);
  }
  const std::uint32_t copy = cables_.remainder(cable - first_global_);
  const Pair groups = pair_at(cables_.quotient(cable - first_global_), shape_.groups);
  return with_direction(cable_name(spine_number(groups.low, spine(groups.low, groups.high, copy)),
                                   spine_number(groups.high, spine(groups.high, groups.low, copy))) +
                            "_cable_" + std::to_string(copy),
                        index);
}

// Makes the cluster from `plan.parameters`: the numbers of groups, cables between two groups, spines and leaves of a
// group, and hosts on a leaf.
std::unique_ptr<Cluster> make_dragonfly_plus(ClusterPlan plan) {
  const auto values = plan.parameters;
  return std::make_unique<DragonflyPlus>(std::move(plan.name), plan.place, plan.depth, std::move(plan.settings),
                                         DragonflyPlusShape{values[0], values[1], values[2], values[3], values[4]});
}

const TopologyRegistration dragonfly_plus_registration("DRAGONFLY_PLUS", make_dragonfly_plus);

}  // namespace
}  // namespace pysmpi
