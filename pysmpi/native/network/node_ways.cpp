// Finds the links inside hosts that a message crosses, and the message's latency and bandwidth there.
#include "network/node_ways.hpp"

#include <algorithm>
#include <utility>

#include "base/options.hpp"
#include "network/carrier.hpp"

namespace pysmpi {
namespace {

std::uint64_t key(HostId host, std::uint32_t core) { return std::uint64_t{host} << 32 | core; }

}  // namespace

NodeWays::NodeWays(const Platform& platform, Network& network)
    : platform_(platform),
      on_(options().node_model && !platform.node_groups().empty()),
      slows_forwarded_(on_ && std::ranges::any_of(platform.node_groups(), &NodeGroup::slows_forwarded)),
      links_(platform.scaling(), network) {
  // The network has all links before the first change of a link, because it keeps the changes of each link.
  if (!on_ || platform.profiles().empty()) return;
  for (const NodeGroup& group : platform.node_groups()) {
    Way unused;
    for (HostId host = group.first; host < group.first + group.count; ++host) {
      unused.count = 0;
      append(&group, {host, HostPart::kMemory}, unused);
      for (std::uint32_t card = 0; card < group.cards; ++card) {
        unused.count = 0;
        append(&group, {host, HostPart::kCardOut, card}, unused);
        append(&group, {host, HostPart::kCardIn, card}, unused);
      }
    }
  }
}

const NodeGroup* NodeWays::group_of(HostId host) const {
  if (!on_) return nullptr;
  const auto& groups = platform_.node_groups();
  const auto after = std::upper_bound(groups.begin(), groups.end(), host,
                                      [](HostId value, const NodeGroup& group) { return value < group.first; });
  if (after == groups.begin()) return nullptr;
  const NodeGroup& group = *(after - 1);
  return host - group.first < group.count ? &group : nullptr;
}

bool NodeWays::limits(HostId host) const {
  const NodeGroup* const group = group_of(host);
  return group != nullptr && !group->memory.empty();
}

NodeWays::Way NodeWays::way_of_traffic(HostId host) {
  Way way;
  append(group_of(host), {host, HostPart::kMemory}, way);
  return way;
}

void NodeWays::append(const NodeGroup* group, const HostLink& of, Way& way) {
  if (group == nullptr) return;
  const auto& steps = of.part == HostPart::kMemory ? group->memory : group->card;
  if (steps.empty()) return;
  const NodeLinks::Link link = links_.link_of(of, steps);
  way.capacities[way.count] = link.highest_capacity;
  way.links[way.count++] = link.id;
}

std::uint32_t NodeWays::card_of(const NodeGroup* group, HostId host, std::uint32_t core) const {
  if (group == nullptr || group->cards == 1) return 0;
  return group->card_of(core, static_cast<std::uint32_t>(platform_.host_cores(host)));
}

// In shared memory, senders take places in a receiver's queue by an atomic operation on one counter. Its cache line is
// in the cache of the last sender, and has to come from there. This takes as long as the shortest message between the
// two senders. Example: cores 1 and 2 send to core 0 in turn, and a message between cores takes 0.07 us. Each message
// then has 0.14 us of latency. If core 1 sends alone, its messages have 0.07 us.
double NodeWays::queue_latency(const NodeGroup& group, const Parcel& parcel) {
  const auto [found, is_first] =
      last_senders_.try_emplace(key(parcel.destination, parcel.destination_core), parcel.source_core);
  const std::uint32_t last = std::exchange(found->second, parcel.source_core);
  if (is_first || last == parcel.source_core) return 0.0;
  const auto cores = static_cast<std::uint32_t>(platform_.host_cores(parcel.source));
  const NodeStep* const step = group.step(group.level_of(last, parcel.source_core, cores), 0.0);
  return step == nullptr ? 0.0 : step->latency;
}

// Cables between racks are longer, and have more switches between them. Hosts of different groups are in different
// racks.
double NodeWays::rack_latency(const NodeGroup* source, const NodeGroup* destination, const Parcel& parcel) {
  if (source == destination)
    return source == nullptr ? 0.0 : source->latency_between(parcel.source, parcel.destination);
  return std::max(source == nullptr ? 0.0 : source->rack_latency,
                  destination == nullptr ? 0.0 : destination->rack_latency);
}

// A rank with partners on its own host and on others has two transports: shared memory and the network card. Its
// library looks at both in turn, and notices a message later than a rank that has one of them. UCX looks only at
// transports that have been used (UCX_ADAPTIVE_PROGRESS).
double NodeWays::polling_latency(const NodeGroup* source, const NodeGroup* destination, const Parcel& parcel) {
  const bool inside = parcel.source == parcel.destination;
  const std::uint8_t kind = inside ? 1 : 2;
  if (source != nullptr && source->polling > 0.0) partners_[key(parcel.source, parcel.source_core)] |= kind;
  if (destination == nullptr || destination->polling <= 0.0) return 0.0;
  const std::uint8_t partners = partners_[key(parcel.destination, parcel.destination_core)] |= kind;
  return partners == 3 ? destination->polling : 0.0;
}

NodeLevel NodeWays::level_of(const NodeGroup& group, const Parcel& parcel) const {
  if (parcel.source != parcel.destination) return NodeLevel::kNode;
  const auto cores = static_cast<std::uint32_t>(platform_.host_cores(parcel.source));
  return group.level_of(parcel.source_core, parcel.destination_core, cores);
}

const NodeStep* NodeWays::step(const Parcel& parcel) const {
  const NodeGroup* const group = group_of(parcel.source);
  return group == nullptr ? nullptr : group->step(level_of(*group, parcel), parcel.bytes);
}

NodeWays::Way NodeWays::way(double now, const Parcel& parcel, double route_latency) {
  Way way;
  const NodeGroup* const source = group_of(parcel.source);
  const NodeGroup* destination = source;
  const bool inside = parcel.source == parcel.destination;
  const Scaling& scaling = platform_.scaling();
  if (const NodeStep* const terms = step(parcel)) {
    way.latency = terms->latency * scaling.latencies;
    double bandwidth = terms->bandwidth;
    if (parcel.forwarded && inside) bandwidth = std::min(bandwidth, source->forwarding_of(level_of(*source, parcel)));
    way.bandwidth = bandwidth * (inside ? scaling.memories.of(parcel.source) : scaling.bandwidths.of_others());
  }
  append(source, {parcel.source, HostPart::kMemory}, way);
  if (!inside) {
    destination = group_of(parcel.destination);
    append(source, {parcel.source, HostPart::kCardOut, card_of(source, parcel.source, parcel.source_core)}, way);
    append(destination,
           {parcel.destination, HostPart::kCardIn, card_of(destination, parcel.destination, parcel.destination_core)},
           way);
    append(destination, {parcel.destination, HostPart::kMemory}, way);
    way.cards = std::max(source == nullptr ? 1 : source->cards, destination == nullptr ? 1 : destination->cards);
    way.more_latency = cards_.wait(now, parcel, source, destination, way.bandwidth > 0.0 ? way.latency : route_latency);
    way.more_latency += rack_latency(source, destination, parcel) * scaling.latencies;
  } else if (source != nullptr) {
    if (source->shared_queue) way.more_latency = queue_latency(*source, parcel);
    way.share = source->memory_share(parcel.bytes);
  }
  way.more_latency += polling_latency(source, destination, parcel);
  const double cost = std::max(source == nullptr ? 0.0 : source->waiting_cost,
                               destination == nullptr ? 0.0 : destination->waiting_cost);
  way.slowdown = 1.0 + cost * parcel.waiting;
  return way;
}

}  // namespace pysmpi
