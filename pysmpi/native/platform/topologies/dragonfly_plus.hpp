// Dragonfly+: groups of leaf and spine switches, each leaf joined to all spines of its group, hosts on the leaves, the
// cables between groups on the spines (A. Shpiner, Z. Haramaty, S. Eliad, V. Zdornov, B. Gafni, E. Zahavi,
// "Dragonfly+: low cost topology for scaling datacenters", HiPINEB 2017).
#pragma once

#include "platform/fabric.hpp"

namespace pysmpi {

struct DragonflyPlusShape {
  std::uint32_t groups;
  std::uint32_t cables;  // between any two groups
  std::uint32_t spines;  // of a group
  std::uint32_t leaves;  // of a group
  std::uint32_t hosts;   // of a leaf
};

// Leaves come before spines in the numbers of switches. A group numbers its ports to other groups round by round, a
// round being one cable to each of them, and gives equally many ports in a row to each spine.
class DragonflyPlus final : public SwitchedFabric {
 public:
  DragonflyPlus(std::string name, Point place, std::uint32_t depth, ClusterSettings settings,
                const DragonflyPlusShape& shape);

 protected:
  std::uint32_t nodes() const override { return shape_.groups * (shape_.leaves + shape_.spines); }

  // Between leaves. Where several spines or cables would do, the number of the leaf to reach decides, as in D-mod-K.
  void append_minimal(std::uint32_t from, std::uint32_t to, Route& out) const override;
  // By way of a group drawn at random (as in the dragonfly of Kim et al.), cables and leaves drawn too; inside a group
  // by way of a spine drawn at random.
  void append_detour(std::uint32_t from, std::uint32_t to, Draw& draw, Route& out) const override;

  std::uint32_t cable_links() const override { return end_ * width(); }
  LinkSettings cable_link(std::uint32_t) const override { return plain_cable(); }
  std::string cable_link_name(std::uint32_t index) const override;

 private:
  // The spine of a group that has its cable number `copy` to another one.
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
  Divider ports_;  // to other groups, of each spine
  std::uint32_t first_global_, end_;
};

}  // namespace pysmpi
