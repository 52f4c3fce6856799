// The memory links and the level of each message.
#include "network/node_memories.hpp"

#include <algorithm>
#include <utility>

#include "base/options.hpp"
#include "network/carrier.hpp"

namespace pysmpi {
namespace {

std::uint64_t key(HostId host, std::uint32_t core) { return std::uint64_t{host} << 32 | core; }

}  // namespace

NodeMemories::NodeMemories(const Platform& platform, Network& network)
    : platform_(platform), network_(network), on_(options().node_model && !platform.node_groups().empty()) {
  // The network has all links before the first change of a link, because it keeps the changes of each link.
  if (!on_ || platform.profiles().empty()) return;
  for (const NodeGroup& group : platform.node_groups()) {
    if (group.memory.empty()) continue;
    for (HostId host = group.first; host < group.first + group.count; ++host) link_of(group, host);
  }
}

const NodeGroup* NodeMemories::group_of(HostId host) const {
  const auto& groups = platform_.node_groups();
  const auto after = std::upper_bound(groups.begin(), groups.end(), host,
                                      [](HostId value, const NodeGroup& group) { return value < group.first; });
  if (after == groups.begin()) return nullptr;
  const NodeGroup& group = *(after - 1);
  return host - group.first < group.count ? &group : nullptr;
}

LinkId NodeMemories::link_of(const NodeGroup& group, HostId host) {
  const auto [found, is_new] = links_.try_emplace(host, kNone);
  if (is_new) {
    found->second = network_.add_link(group.highest_capacity(), SharingPolicy::kShared);
    if (group.memory.size() > 1) network_.set_capacity_steps(found->second, group.memory);
    hosts_[found->second] = host;
  }
  return found->second;
}

HostId NodeMemories::host_of(LinkId link) const {
  const auto found = hosts_.find(link);
  return found == hosts_.end() ? kNone : found->second;
}

bool NodeMemories::limits(HostId host) const {
  if (!on_) return false;
  const NodeGroup* const group = group_of(host);
  return group != nullptr && !group->memory.empty();
}

NodeMemories::Way NodeMemories::way_of_traffic(HostId host) {
  Way way;
  append(group_of(host), host, way);
  return way;
}

void NodeMemories::append(const NodeGroup* group, HostId host, Way& way) {
  if (group == nullptr || group->memory.empty()) return;
  way.capacities[way.count] = group->highest_capacity();
  way.links[way.count++] = link_of(*group, host);
}

// In shared memory, senders take places in a receiver's queue by an atomic operation on one counter. Its cache line is
// in the cache of the last sender, and has to come from there. This takes as long as the shortest message between the
// two senders. Example: cores 1 and 2 send to core 0 in turn, and a message between cores takes 0.07 us. Each message
// then has 0.14 us of latency. If core 1 sends alone, its messages have 0.07 us.
double NodeMemories::queue_latency(const NodeGroup& group, const Parcel& parcel) {
  const auto [found, is_first] =
      last_senders_.try_emplace(key(parcel.destination, parcel.destination_core), parcel.source_core);
  const std::uint32_t last = std::exchange(found->second, parcel.source_core);
  if (is_first || last == parcel.source_core) return 0.0;
  const auto cores = static_cast<std::uint32_t>(platform_.host_cores(parcel.source));
  const NodeStep* const step = group.step(group.level_of(last, parcel.source_core, cores), 0.0);
  return step == nullptr ? 0.0 : step->latency;
}

// A rank with partners on its own host and on others has two transports: shared memory and the network card. Its
// library looks at both in turn, and notices a message later than a rank that has one of them. UCX looks only at
// transports that have been used (UCX_ADAPTIVE_PROGRESS).
double NodeMemories::polling_latency(const NodeGroup* source, const NodeGroup* destination, const Parcel& parcel) {
  const bool inside = parcel.source == parcel.destination;
  const std::uint8_t kind = inside ? 1 : 2;
  if (source != nullptr && source->polling > 0.0) partners_[key(parcel.source, parcel.source_core)] |= kind;
  if (destination == nullptr || destination->polling <= 0.0) return 0.0;
  const std::uint8_t partners = partners_[key(parcel.destination, parcel.destination_core)] |= kind;
  return partners == 3 ? destination->polling : 0.0;
}

NodeMemories::Way NodeMemories::way(const Parcel& parcel) {
  Way way;
  const NodeGroup* const group = group_of(parcel.source);
  append(group, parcel.source, way);
  NodeLevel level = NodeLevel::kNode;
  const NodeGroup* receiver = group;
  if (parcel.source != parcel.destination) {
    receiver = group_of(parcel.destination);
    append(receiver, parcel.destination, way);
  } else if (group != nullptr) {
    const auto cores = static_cast<std::uint32_t>(platform_.host_cores(parcel.source));
    level = group->level_of(parcel.source_core, parcel.destination_core, cores);
    if (group->shared_queue) way.more_latency = queue_latency(*group, parcel);
  }
  way.more_latency += polling_latency(group, receiver, parcel);
  if (group != nullptr) way.step = group->step(level, parcel.bytes);
  return way;
}

}  // namespace pysmpi
