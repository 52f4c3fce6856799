// SimGrid's cluster TORUS: a torus of any number of dimensions, routed dimension by dimension, the lowest first.
#pragma once

#include <span>

#include "platform/fabric.hpp"

namespace pysmpi {

class Torus final : public DirectFabric {
 public:
  Torus(std::string name, Point place, std::uint32_t depth, ClusterSettings settings,
        std::span<const std::uint32_t> sizes);

 protected:
  void append_minimal(std::uint32_t from, std::uint32_t to, Route& out) const override;

  // Each host has, in each dimension, the cable to its successor.
  std::uint32_t cable_links() const override;
  LinkSettings cable_link(std::uint32_t) const override { return plain_cable(); }
  std::string cable_link_name(std::uint32_t index) const override;

 private:
  struct Dimension {
    Divider size;
    Divider stride;  // between neighbours
  };

  std::vector<Dimension> dimensions_;
};

}  // namespace pysmpi
