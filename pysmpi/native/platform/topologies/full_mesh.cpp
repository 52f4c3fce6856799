// The topology in which a cable joins any two hosts.
#include "platform/fabric.hpp"
#include "platform/make_cluster.hpp"
#include "platform/pairs.hpp"

namespace pysmpi {
namespace {

class FullMesh final : public DirectFabric {
 public:
  using DirectFabric::DirectFabric;

 protected:
  void append_minimal(std::uint32_t from, std::uint32_t to, Route& out) const override;
  std::uint32_t cable_links() const override;
  LinkSettings cable_link(std::uint32_t) const override { return plain_cable(); }
  std::string cable_link_name(std::uint32_t index) const override;
};

void FullMesh::append_minimal(std::uint32_t from, std::uint32_t to, Route& out) const {
  if (from == to) return;
  append_limiter(from, out);
  append_cable(towards(pair_number(from, to, host_count()), from, to), out);
}

std::uint32_t FullMesh::cable_links() const { return pair_count(host_count()) * width(); }

std::string FullMesh::cable_link_name(std::uint32_t index) const {
  const Pair ends = pair_at(index / width(), host_count());
  return with_direction(cable_name(ends.low, ends.high), index);
}

// Makes the cluster; the topology has no parameters.
std::unique_ptr<Cluster> make_full_mesh(ClusterPlan plan) {
  return std::make_unique<FullMesh>(std::move(plan.name), plan.place, plan.depth, std::move(plan.settings));
}

const TopologyRegistration full_mesh_registration("FULL_MESH", make_full_mesh);

}  // namespace
}  // namespace pysmpi
