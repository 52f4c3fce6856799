// Hypercube of hosts with e-cube routing, the lowest dimension first (H. Sullivan, T. R. Bashkow, "A large scale,
// homogeneous, fully distributed parallel machine, I", ISCA 1977).
#include <bit>

#include "platform/fabric.hpp"
#include "platform/make_cluster.hpp"

namespace pysmpi {
namespace {

class Hypercube final : public DirectFabric {
 public:
  Hypercube(std::string name, Point place, std::uint32_t depth, ClusterSettings settings, std::uint32_t dimensions)
      : DirectFabric(std::move(name), place, depth, std::move(settings)), dimensions_(dimensions) {}

 protected:
  void append_minimal(std::uint32_t from, std::uint32_t to, Route& out) const override;
  // Cables are ordered by dimension; each dimension has one for every pair of neighbours.
  std::uint32_t cable_links() const override { return dimensions_ * (host_count() / 2) * width(); }
  LinkSettings cable_link(std::uint32_t) const override { return plain_cable(); }
  std::string cable_link_name(std::uint32_t index) const override;

 private:
  std::uint32_t dimensions_;
};

void Hypercube::append_minimal(std::uint32_t from, std::uint32_t to, Route& out) const {
  std::uint32_t at = from;
  while (at != to) {
    const auto dimension = static_cast<std::uint32_t>(std::countr_zero(at ^ to));
    const std::uint32_t bit = std::uint32_t{1} << dimension;
    const std::uint32_t rank = (at & (bit - 1)) | (at >> (dimension + 1) << dimension);  // without the dimension's bit
    append_limiter(at, out);
    append_cable(towards(dimension * (host_count() / 2) + rank, at, at ^ bit), out);
    at ^= bit;
  }
}

std::string Hypercube::cable_link_name(std::uint32_t index) const {
  const std::uint32_t cable = index / width();
  const std::uint32_t dimension = cable / (host_count() / 2);
  const std::uint32_t rank = cable % (host_count() / 2);
  const std::uint32_t bit = std::uint32_t{1} << dimension;
  const std::uint32_t lower = (rank & (bit - 1)) | (rank >> dimension << (dimension + 1));
  return with_direction(cable_name(lower, lower | bit), index);
}

// Makes the cluster from `plan.parameters`: the number of dimensions.
std::unique_ptr<Cluster> make_hypercube(ClusterPlan plan) {
  return std::make_unique<Hypercube>(std::move(plan.name), plan.place, plan.depth, std::move(plan.settings),
                                     plan.parameters[0]);
}

const TopologyRegistration hypercube_registration("HYPERCUBE", make_hypercube);

}  // namespace
}  // namespace pysmpi
