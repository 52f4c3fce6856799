// SimGrid's cluster TORUS, of any number of dimensions. Routes go dimension by dimension, the lowest first.
#include <span>

#include "platform/fabric.hpp"
#include "platform/make_cluster.hpp"

namespace pysmpi {
namespace {

class Torus final : public DirectFabric {
 public:
  Torus(std::string name, Point place, std::uint32_t depth, ClusterSettings settings,
        std::span<const std::uint32_t> sizes);

 protected:
  void append_minimal(std::uint32_t from, std::uint32_t to, Route& out) const override;
  // Returns 2: in each dimension, one before the cable that joins the last node to the first, and one from there on.
  std::uint32_t minimal_channels() const override { return 2; }

  // Each host owns the cable to its successor in each dimension.
  std::uint32_t cable_links() const override;
  LinkSettings cable_link(std::uint32_t) const override { return plain_cable(); }
  std::string cable_link_name(std::uint32_t index) const override;

 private:
  struct Dimension {
    Divider size;
    Divider stride;  // distance between the numbers of neighbours
  };

  std::vector<Dimension> dimensions_;
};

Torus::Torus(std::string name, Point place, std::uint32_t depth, ClusterSettings settings,
             std::span<const std::uint32_t> sizes)
    : DirectFabric(std::move(name), place, depth, std::move(settings)) {
  std::uint32_t stride = 1;
  for (const std::uint32_t size : sizes) {
    dimensions_.push_back({Divider(size), Divider(stride)});
    stride *= size;
  }
}

void Torus::append_minimal(std::uint32_t source, std::uint32_t destination, Route& out) const {
  const auto dimension_count = static_cast<std::uint32_t>(dimensions_.size());
  std::uint32_t current = source;
  const std::uint32_t channel = out.channel();
  for (std::uint32_t number = 0; number < dimension_count; ++number) {
    const Dimension& dimension = dimensions_[number];
    const std::uint32_t size = dimension.size.divisor();
    const std::uint32_t stride = dimension.stride.divisor();
    std::uint32_t from = dimension.size.remainder(dimension.stride.quotient(source));
    const std::uint32_t to = dimension.size.remainder(dimension.stride.quotient(destination));
    const std::uint32_t half = size / 2;
    // SimGrid's rule: the shorter way around; if both are equally long, upwards, except from position size / 2 to
    // position 0.
    const bool upwards =
        (to > from && to <= from + half) || (from > half && dimension.size.remainder(from + half) >= to);
    if (from != to) out.use_channel(channel);
    while (from != to) {
      append_limiter(current, out);
      if (from == (upwards ? size - 1 : 0)) out.use_channel(channel + 1);  // the date line of the ring
      if (upwards) {
        append_cable(up(current * dimension_count + number), out);
        const bool wraps = from == size - 1;
        current = wraps ? current - from * stride : current + stride;
        from = wraps ? 0 : from + 1;
      } else {
        const bool wraps = from == 0;
        current = wraps ? current + (size - 1) * stride : current - stride;
        from = wraps ? size - 1 : from - 1;
        append_cable(down(current * dimension_count + number), out);
      }
    }
  }
}

std::uint32_t Torus::cable_links() const {
  return host_count() * static_cast<std::uint32_t>(dimensions_.size()) * width();
}

std::string Torus::cable_link_name(std::uint32_t index) const {
  const auto dimension_count = static_cast<std::uint32_t>(dimensions_.size());
  const std::uint32_t host = index / width() / dimension_count;
  const Dimension& dimension = dimensions_[index / width() % dimension_count];
  const std::uint32_t size = dimension.size.divisor();
  const std::uint32_t stride = dimension.stride.divisor();
  const bool wraps = dimension.size.remainder(dimension.stride.quotient(host)) == size - 1;
  const std::uint32_t successor = wraps ? host - (size - 1) * stride : host + stride;
  return with_direction(cable_name(host, successor), index);
}

// Makes the cluster from `plan.parameters`: the size of each dimension.
std::unique_ptr<Cluster> make_torus(ClusterPlan plan) {
  return std::make_unique<Torus>(std::move(plan.name), plan.place, plan.depth, std::move(plan.settings),
                                 plan.parameters);
}

const TopologyRegistration torus_registration("TORUS", make_torus);

}  // namespace
}  // namespace pysmpi
