// SimGrid's cluster FAT_TREE: a parallel-ports generalised k-ary n-tree with D-mod-K routing (E. Zahavi, "D-Mod-K
// routing providing non-blocking traffic for shift permutations on real life fat trees", CCIT report 776, 2010), or
// with ports drawn at random for each message.
#pragma once

#include <span>

#include "platform/cluster.hpp"
#include "platform/divider.hpp"

namespace pysmpi {

// One storey of cables: between the nodes of a level (hosts on level 0) and the switches above.
struct FatTreeLevel {
  std::uint32_t children;  // nodes below each switch
  std::uint32_t parents;   // switches above each node
  std::uint32_t cables;    // parallel ones between a node and a switch above it
};

// A node is known by its position on its level, a number in mixed radix: digit i counts the parents at level i where
// the node stands above that level, the children otherwise. A node and a switch above it differ in the digit of their
// level.
class FatTree final : public Cluster {
 public:
  static constexpr std::size_t kMaxLevels = 32;  // more could not have two children each

  // `earlier_hosts` and `earlier_cables` are those of the platform's fat trees described before this one: SimGrid goes
  // on counting where they ended, both for the D in D-mod-K and in the names of links.
  FatTree(std::string name, Point place, std::uint32_t depth, ClusterSettings settings,
          std::span<const FatTreeLevel> levels, std::uint32_t earlier_hosts, std::uint32_t earlier_cables);

  std::uint32_t cable_count() const { return cable_count_; }

  bool local_route(std::uint32_t source, std::uint32_t destination, Route& out, Gateways& gateways) const override;

 protected:
  std::uint32_t cable_links() const override { return cable_count_ * width(); }
  LinkSettings cable_link(std::uint32_t) const override { return plain_cable(); }
  std::string cable_link_name(std::uint32_t index) const override;
  std::uint32_t switches() const override { return switch_count_; }
  std::string limiter_number(std::uint32_t index) const override;

 private:
  struct Storey {
    Divider children, parents, cables;
    Divider parents_and_cables;
    Divider low;                // product of the parents of the storeys below: what the lower digits of a node count to
    Divider subtree;            // hosts below a node of the level
    std::uint32_t first_cable;  // of the storey
    std::uint32_t nodes;        // of the lower level
    std::uint32_t first_switch;  // of the upper level, counting switches from 0
  };

  std::int64_t node_number(std::size_t level, std::uint32_t node) const;

  std::vector<Storey> storeys_;
  std::uint32_t cable_count_ = 0;
  std::uint32_t switch_count_ = 0;
  std::uint32_t earlier_hosts_;
  std::uint32_t earlier_cables_;
  bool parallel_cables_ = false;
};

}  // namespace pysmpi
