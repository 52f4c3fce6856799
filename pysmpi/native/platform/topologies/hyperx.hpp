// HyperX: switches in a lattice, each joined to all others in its line of every dimension, hosts on each switch (J. H.
// Ahn, N. Binkert, A. Davis, M. McLaren, R. S. Schreiber, "HyperX: topology, routing, and packaging of efficient
// large-scale networks", SC 2009). Minimal routing goes dimension by dimension, the lowest first.
#pragma once

#include <span>

#include "platform/fabric.hpp"

namespace pysmpi {

struct HyperXDimension {
  std::uint32_t size;    // switches in a line (S of the paper)
  std::uint32_t cables;  // bundled into the link between two of them (K)
};

class HyperX final : public SwitchedFabric {
 public:
  HyperX(std::string name, Point place, std::uint32_t depth, ClusterSettings settings,
         std::span<const HyperXDimension> dimensions, std::uint32_t hosts_per_switch);

 protected:
  std::uint32_t nodes() const override { return nodes_; }
  void append_minimal(std::uint32_t from, std::uint32_t to, Route& out) const override;
  std::uint32_t cable_links() const override { return end_ * width(); }
  LinkSettings cable_link(std::uint32_t index) const override;
  std::string cable_link_name(std::uint32_t index) const override;

 private:
  struct Dimension {
    Divider size;
    Divider stride;  // between neighbours in a line
    std::uint32_t cables;
    std::uint32_t pairs;  // of switches in a line
    std::uint32_t first_cable;
  };
  const Dimension& dimension_of(std::uint32_t cable) const;

  std::vector<Dimension> dimensions_;
  std::uint32_t nodes_ = 1;
  std::uint32_t end_;  // of the cables
};

}  // namespace pysmpi
