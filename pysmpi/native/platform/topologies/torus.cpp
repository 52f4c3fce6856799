// Tori of any number of dimensions. If the number of hosts on a switch is not given, the nodes are the hosts, as in
// SimGrid's cluster TORUS; otherwise they are switches with this number of hosts on each. Routes go dimension by
// dimension, the lowest first.
#include <span>
#include <utility>
#include <vector>

#include "platform/fabric.hpp"
#include "platform/make_cluster.hpp"

namespace pysmpi {
namespace {

// The nodes of a torus. Each node owns the cable to its successor in each dimension; these cables are numbered by node,
// then by dimension.
class Lattice {
 public:
  explicit Lattice(std::span<const std::uint32_t> sizes) {
    for (const std::uint32_t size : sizes) {
      dimensions_.push_back({Divider(size), Divider(nodes_)});
      nodes_ *= size;
    }
  }

  std::uint32_t nodes() const { return nodes_; }
  std::uint32_t cables() const { return nodes_ * dimension_count(); }

  // Returns both ends of a cable: its owner, and the owner's successor.
  std::pair<std::uint32_t, std::uint32_t> ends(std::uint32_t cable) const {
    const std::uint32_t node = cable / dimension_count();
    const Dimension& dimension = dimensions_[cable % dimension_count()];
    const std::uint32_t size = dimension.size.divisor();
    const std::uint32_t stride = dimension.stride.divisor();
    const bool wraps = dimension.size.remainder(dimension.stride.quotient(node)) == size - 1;
    return {node, wraps ? node - (size - 1) * stride : node + stride};
  }

  // Walks from `source` to `destination`, one dimension after the other. For each cable, calls `step` with the node
  // before it, the number of the cable, and whether it is crossed upwards, that is, towards the successor.
  //
  // The nodes along a dimension form a ring, in which packets could wait for each other in a circle. To prevent this,
  // the walk enters each ring on one virtual channel, and goes on to a second one when it crosses the cable between the
  // last node of the ring and the first. It stays on the second channel until it leaves the ring.
  template <typename Step>
  void walk(std::uint32_t source, std::uint32_t destination, Route& out, Step step) const {
    std::uint32_t current = source;
    const std::uint32_t channel = out.channel();
    for (std::uint32_t number = 0; number < dimension_count(); ++number) {
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
        const std::uint32_t left = current;
        const bool wraps = from == (upwards ? size - 1 : 0);
        if (wraps) out.use_channel(channel + 1);
        if (upwards) {
          current = wraps ? current - from * stride : current + stride;
          from = wraps ? 0 : from + 1;
        } else {
          current = wraps ? current + (size - 1) * stride : current - stride;
          from = wraps ? size - 1 : from - 1;
        }
        step(left, (upwards ? left : current) * dimension_count() + number, upwards);
      }
    }
  }

  // Number of virtual channels: one before the cable that closes a ring, and one from this cable on.
  static constexpr std::uint32_t kChannels = 2;

 private:
  struct Dimension {
    Divider size;
    Divider stride;  // distance between the numbers of neighbours
  };

  std::uint32_t dimension_count() const { return static_cast<std::uint32_t>(dimensions_.size()); }

  std::vector<Dimension> dimensions_;
  std::uint32_t nodes_ = 1;
};

class Torus final : public DirectFabric {
 public:
  Torus(std::string name, Point place, std::uint32_t depth, ClusterSettings settings,
        std::span<const std::uint32_t> sizes)
      : DirectFabric(std::move(name), place, depth, std::move(settings)), lattice_(sizes) {}

 protected:
  void append_minimal(std::uint32_t from, std::uint32_t to, Route& out) const override {
    lattice_.walk(from, to, out, [&](std::uint32_t host, std::uint32_t cable, bool upwards) {
      append_limiter(host, out);
      append_cable(upwards ? up(cable) : down(cable), out);
    });
  }
  std::uint32_t minimal_channels() const override { return Lattice::kChannels; }
  std::uint32_t cable_links() const override { return lattice_.cables() * width(); }
  LinkSettings cable_link(std::uint32_t) const override { return plain_cable(); }
  std::string cable_link_name(std::uint32_t index) const override {
    const auto [host, successor] = lattice_.ends(index / width());
    return with_direction(cable_name(host, successor), index);
  }

 private:
  Lattice lattice_;
};

class SwitchedTorus final : public SwitchedFabric {
 public:
  SwitchedTorus(std::string name, Point place, std::uint32_t depth, ClusterSettings settings,
                std::span<const std::uint32_t> sizes, std::uint32_t hosts_per_switch)
      : SwitchedFabric(std::move(name), place, depth, std::move(settings), hosts_per_switch), lattice_(sizes) {}

 protected:
  std::uint32_t nodes() const override { return lattice_.nodes(); }
  void append_minimal(std::uint32_t from, std::uint32_t to, Route& out) const override {
    lattice_.walk(from, to, out, [&](std::uint32_t node, std::uint32_t cable, bool upwards) {
      append_step(node, upwards ? up(host_count() + cable) : down(host_count() + cable), out);
    });
  }
  std::uint32_t minimal_channels() const override { return Lattice::kChannels; }
  std::uint32_t cable_links() const override { return (host_count() + lattice_.cables()) * width(); }
  LinkSettings cable_link(std::uint32_t) const override { return plain_cable(); }
  std::string cable_link_name(std::uint32_t index) const override {
    const std::uint32_t cable = index / width();
    if (cable < host_count()) return with_direction(host_cable_name(cable), index);
    const auto [node, successor] = lattice_.ends(cable - host_count());
    return with_direction(cable_name(node, successor), index);
  }

 private:
  Lattice lattice_;
};

// Makes the cluster from `plan.parameters`: the size of each dimension, then the number of hosts on a switch, or 0 if
// the hosts are the nodes.
std::unique_ptr<Cluster> make_torus(ClusterPlan plan) {
  const auto sizes = plan.parameters.first(plan.parameters.size() - 1);
  const std::uint32_t hosts_per_switch = plan.parameters.back();
  if (hosts_per_switch == 0) {
    return std::make_unique<Torus>(std::move(plan.name), plan.place, plan.depth, std::move(plan.settings), sizes);
  }
  return std::make_unique<SwitchedTorus>(std::move(plan.name), plan.place, plan.depth, std::move(plan.settings), sizes,
                                         hosts_per_switch);
}

const TopologyRegistration torus_registration("TORUS", make_torus);

}  // namespace
}  // namespace pysmpi
