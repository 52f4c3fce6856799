// SimGrid's cluster FLAT: each host on a cable of its own to one switch, whose inside may be limited by a backbone.
#pragma once

#include "platform/cluster.hpp"

namespace pysmpi {

class FlatCluster final : public Cluster {
 public:
  FlatCluster(std::string name, Point place, std::uint32_t depth, ClusterSettings settings,
              std::optional<LinkSettings> backbone);

  // The way out of the cluster: a member after the hosts.
  std::uint32_t router() const { return host_count(); }

  bool local_route(std::uint32_t source, std::uint32_t destination, Route& out, Gateways& gateways) const override;

 protected:
  std::uint32_t cable_links() const override { return host_count() * width() + (backbone_ ? 1 : 0); }
  LinkSettings cable_link(std::uint32_t index) const override;
  std::string cable_link_name(std::uint32_t index) const override;
  std::string limiter_number(std::uint32_t index) const override;

 private:
  std::optional<LinkSettings> backbone_;
};

}  // namespace pysmpi
