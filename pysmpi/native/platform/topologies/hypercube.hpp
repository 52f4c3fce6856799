// A hypercube of hosts, routed by e-cube: the lowest dimension first (H. Sullivan, T. R. Bashkow, "A large scale,
// homogeneous, fully distributed parallel machine, I", ISCA 1977).
#pragma once

#include "platform/fabric.hpp"

namespace pysmpi {

class Hypercube final : public DirectFabric {
 public:
  Hypercube(std::string name, Point place, std::uint32_t depth, ClusterSettings settings, std::uint32_t dimensions)
      : DirectFabric(std::move(name), place, depth, std::move(settings)), dimensions_(dimensions) {}

 protected:
  void append_minimal(std::uint32_t from, std::uint32_t to, Route& out) const override;
  // Dimension by dimension, each with a cable for every pair of neighbours.
  std::uint32_t cable_links() const override { return dimensions_ * (host_count() / 2) * width(); }
  LinkSettings cable_link(std::uint32_t) const override { return plain_cable(); }
  std::string cable_link_name(std::uint32_t index) const override;

 private:
  std::uint32_t dimensions_;
};

}  // namespace pysmpi
