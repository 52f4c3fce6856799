// HyperX: a lattice of switches with hosts on each. In every dimension, a switch is joined to all other switches in its
// line (J. H. Ahn, N. Binkert, A. Davis, M. McLaren, R. S. Schreiber, "HyperX: topology, routing, and packaging of
// efficient large-scale networks", SC 2009). Minimal routing goes dimension by dimension, the lowest first.
#include <span>

#include "platform/fabric.hpp"
#include "platform/make_cluster.hpp"
#include "platform/pairs.hpp"

namespace pysmpi {
namespace {

struct HyperXDimension {
  std::uint32_t size;    // switches in a line (S of the paper)
  std::uint32_t cables;  // number of cables bundled into the link between two switches (K of the paper)
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
    Divider stride;  // distance between the numbers of neighbours in a line
    std::uint32_t cables;
    std::uint32_t pairs;  // number of pairs of switches in a line
    std::uint32_t first_cable;
  };
  const Dimension& dimension_of(std::uint32_t cable) const;

  std::vector<Dimension> dimensions_;
  std::uint32_t nodes_ = 1;
  std::uint32_t end_;  // number after the last cable
};

HyperX::HyperX(std::string name, Point place, std::uint32_t depth, ClusterSettings settings,
               std::span<const HyperXDimension> dimensions, std::uint32_t hosts_per_switch)
    : SwitchedFabric(std::move(name), place, depth, std::move(settings), hosts_per_switch), end_(host_count()) {
  const std::uint32_t all = host_count() / hosts_per_switch;
  for (const HyperXDimension& dimension : dimensions) {
    const std::uint32_t pairs = pair_count(dimension.size);
    dimensions_.push_back({Divider(dimension.size), Divider(nodes_), dimension.cables, pairs, end_});
    end_ += all / dimension.size * pairs;
    nodes_ *= dimension.size;
  }
}

void HyperX::append_minimal(std::uint32_t from, std::uint32_t to, Route& out) const {
  std::uint32_t at = from;
  for (const Dimension& dimension : dimensions_) {
    const std::uint32_t stride = dimension.stride.divisor();
    const std::uint32_t size = dimension.size.divisor();
    const std::uint32_t above = dimension.stride.quotient(at);
    const std::uint32_t high = dimension.size.quotient(above);
    const std::uint32_t here = above - high * size;
    const std::uint32_t there = dimension.size.remainder(dimension.stride.quotient(to));
    if (here == there) continue;
    const std::uint32_t line = high * stride + (at - above * stride);
    const std::uint32_t cable = dimension.first_cable + line * dimension.pairs + pair_number(here, there, size);
    append_step(at, towards(cable, here, there), out);
    at = at - here * stride + there * stride;
  }
}

const HyperX::Dimension& HyperX::dimension_of(std::uint32_t cable) const {
  std::size_t number = dimensions_.size() - 1;
  while (dimensions_[number].first_cable > cable || dimensions_[number].pairs == 0) --number;
  return dimensions_[number];
}

LinkSettings HyperX::cable_link(std::uint32_t index) const {
  const std::uint32_t cable = index / width();
  return cable < host_count() ? plain_cable() : plain_cable(dimension_of(cable).cables);
}

std::string HyperX::cable_link_name(std::uint32_t index) const {
  const std::uint32_t cable = index / width();
  if (cable < host_count()) return with_direction(host_cable_name(cable), index);
  const Dimension& dimension = dimension_of(cable);
  const std::uint32_t stride = dimension.stride.divisor();
  const std::uint32_t line = (cable - dimension.first_cable) / dimension.pairs;
  const Pair ends = pair_at((cable - dimension.first_cable) % dimension.pairs, dimension.size.divisor());
  const std::uint32_t first =
      dimension.stride.remainder(line) + dimension.stride.quotient(line) * stride * dimension.size.divisor();
  return with_direction(cable_name(first + ends.low * stride, first + ends.high * stride), index);
}

// Makes the cluster from `plan.parameters`: HyperXDimension::size of all dimensions, then the cables, then the number
// of hosts on a switch.
std::unique_ptr<Cluster> make_hyperx(ClusterPlan plan) {
  const auto values = plan.parameters;
  const std::size_t count = values.size() / 2;
  std::vector<HyperXDimension> dimensions;
  for (std::size_t i = 0; i < count; ++i) dimensions.push_back({values[i], values[count + i]});
  return std::make_unique<HyperX>(std::move(plan.name), plan.place, plan.depth, std::move(plan.settings), dimensions,
                                  values[2 * count]);
}

const TopologyRegistration hyperx_registration("HYPERX", make_hyperx);

}  // namespace
}  // namespace pysmpi
