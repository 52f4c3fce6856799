// SimGrid's cluster TORUS: a torus of any number of dimensions, routed dimension by dimension, the lowest first.
#pragma once

#include <span>

#include "platform/cluster.hpp"
#include "platform/divider.hpp"

namespace pysmpi {

class Torus final : public Cluster {
 public:
  Torus(std::string name, Point place, std::uint32_t depth, ClusterSettings settings,
        std::span<const std::uint32_t> sizes);

  bool local_route(std::uint32_t source, std::uint32_t destination, Route& out, Gateways& gateways) const override;

 protected:
  // Each host has, in each dimension, the cable to its successor.
  std::uint32_t cable_links() const override;
  LinkSettings cable_link(std::uint32_t) const override { return plain_cable(); }
  std::string cable_link_name(std::uint32_t index) const override;
  std::string limiter_number(std::uint32_t index) const override { return std::to_string(index); }

 private:
  struct Dimension {
    Divider size;
    Divider stride;  // between neighbours
  };

  std::vector<Dimension> dimensions_;
};

}  // namespace pysmpi
