// Links inside hosts that the platform has no numbers for: memories, and network cards in each direction. A link is
// added to the network when a message first crosses it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "network/network.hpp"
#include "platform/node.hpp"
#include "platform/scaling.hpp"

namespace pysmpi {

class NodeLinks {
 public:
  // `scaling` has the factors on memories, and those on links, which apply to cards.
  NodeLinks(const Scaling& scaling, Network& network) : scaling_(scaling), network_(network) {}

  struct Link {
    LinkId id = kNone;
    double highest_capacity = 0.0;      // bytes/s
    std::vector<CapacityStep> steps{};  // bytes/s, by the number of messages that move over the link
  };

  // Return the link of this part of the host. `steps` are its capacities by the number of messages that move over it.
  const Link& link_of(const HostLink& of, const std::vector<CapacityStep>& steps) {
    const auto [host, part, card] = of;
    const auto [found, is_new] =
        links_.try_emplace(std::uint64_t{host} << 32 | std::uint64_t{card} << 8 | static_cast<std::uint8_t>(part));
    Link& link = found->second;
    if (!is_new) return link;
    link.steps = steps;
    const double factor = part == HostPart::kMemory ? scaling_.memories.of(host) : scaling_.bandwidths.of_others();
    for (CapacityStep& step : link.steps) step.capacity *= factor;
    link.highest_capacity = std::ranges::max(link.steps, {}, &CapacityStep::capacity).capacity;
    link.id = network_.add_link(link.highest_capacity, SharingPolicy::kShared);
    if (link.steps.size() > 1) network_.set_capacity_steps(link.id, link.steps);
    parts_[link.id] = of;
    return link;
  }

  // Return the host, and the part of it, that this link of the network represents.
  HostLink part_of(LinkId link) const {
    const auto found = parts_.find(link);
    return found == parts_.end() ? HostLink{} : found->second;
  }

 private:
  const Scaling& scaling_;
  Network& network_;
  std::unordered_map<std::uint64_t, Link>
      links_;  // key: host << 32 | card << 8 | part; the network refers to the steps
  std::unordered_map<LinkId, HostLink> parts_;
};

}  // namespace pysmpi
