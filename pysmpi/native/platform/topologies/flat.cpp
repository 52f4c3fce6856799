// SimGrid's cluster FLAT: each host on a cable of its own to one switch, whose inside may be limited by a backbone.
#include "platform/cluster.hpp"
#include "platform/make_cluster.hpp"

namespace pysmpi {
namespace {

class FlatCluster final : public Cluster {
 public:
  FlatCluster(std::string name, Point place, std::uint32_t depth, ClusterSettings settings,
              std::optional<LinkSettings> backbone);

  // Returns the member number of the router, which follows the numbers of the hosts.
  std::optional<std::uint32_t> gateway() const override { return router(); }

  bool local_route(std::uint32_t source, std::uint32_t destination, Route& out, Gateways& gateways) const override;

 protected:
  std::uint32_t cable_links() const override { return host_count() * width() + (backbone_ ? 1 : 0); }
  LinkSettings cable_link(std::uint32_t index) const override;
  std::string cable_link_name(std::uint32_t index) const override;
  std::string limiter_number(std::uint32_t index) const override;

 private:
  std::uint32_t router() const { return host_count(); }

  std::optional<LinkSettings> backbone_;
};

FlatCluster::FlatCluster(std::string name, Point place, std::uint32_t depth, ClusterSettings settings,
                         std::optional<LinkSettings> backbone)
    : Cluster(std::move(name), place, depth, std::move(settings)), backbone_(backbone) {
  set_members(host_count() + 1);
}

// The way up consists of limiter, cable and backbone, the way down of backbone, cable and limiter. As in SimGrid's star
// zones, a route contains each link once: the backbone is not repeated, and the route of a host without loopback to
// itself contains each of the host's links once.
bool FlatCluster::local_route(std::uint32_t source, std::uint32_t destination, Route& out, Gateways&) const {
  if (source == destination && source != router() && has_loopback()) {
    append_loopback(source, out);
    return true;
  }
  if (source != router()) {
    append_limiter(source, out);
    append_cable(up(source), out);
  }
  if (backbone_ && (source != router() || destination != router())) {
    Hop{cable(host_count() * width()), backbone_->latency}.append_to(out);
  }
  if (destination != router() && (source != destination || width() == 2)) append_cable(down(destination), out);
  if (destination != router() && source != destination) append_limiter(destination, out);
  return true;
}

LinkSettings FlatCluster::cable_link(std::uint32_t index) const {
  return index < host_count() * width() ? plain_cable() : *backbone_;
}

std::string FlatCluster::cable_link_name(std::uint32_t index) const {
  if (index == host_count() * width()) return name() + "_backbone";
  const std::int64_t number = settings().radical.number(index / width());
  return with_direction(name() + "_link_" + std::to_string(number), index);
}

std::string FlatCluster::limiter_number(std::uint32_t index) const {
  return std::to_string(settings().radical.number(index));
}

// Makes the cluster; the topology has no parameters.
std::unique_ptr<Cluster> make_flat(ClusterPlan plan) {
  return std::make_unique<FlatCluster>(std::move(plan.name), plan.place, plan.depth, std::move(plan.settings),
                                       plan.backbone);
}

const TopologyRegistration flat_registration("FLAT", make_flat);

}  // namespace
}  // namespace pysmpi
