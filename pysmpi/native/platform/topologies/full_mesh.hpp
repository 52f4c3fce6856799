// Hosts with a cable between any two of them.
#pragma once

#include "platform/fabric.hpp"

namespace pysmpi {

class FullMesh final : public DirectFabric {
 public:
  using DirectFabric::DirectFabric;

 protected:
  void append_minimal(std::uint32_t from, std::uint32_t to, Route& out) const override;
  std::uint32_t cable_links() const override;
  LinkSettings cable_link(std::uint32_t) const override { return plain_cable(); }
  std::string cable_link_name(std::uint32_t index) const override;
};

}  // namespace pysmpi
