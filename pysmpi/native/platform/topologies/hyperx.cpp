#include "platform/topologies/hyperx.hpp"

#include "platform/pairs.hpp"

namespace pysmpi {

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

}  // namespace pysmpi
