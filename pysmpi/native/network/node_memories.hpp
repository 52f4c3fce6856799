// Memory links of hosts: messages inside a host and messages that enter or leave it share the memory's bandwidth.
#pragma once

#include <array>
#include <unordered_map>

#include "network/network.hpp"
#include "platform/node.hpp"
#include "platform/platform.hpp"

namespace pysmpi {

struct Parcel;

// The links are the network's own: the platform has no numbers for them. A link is added when a message first crosses
// it.
class NodeMemories {
 public:
  NodeMemories(const Platform& platform, Network& network);

  // Return whether any host has properties of its inside, and the option platform/node-model uses them.
  bool any() const { return on_; }

  struct Way {
    std::array<LinkId, 2> links{};       // memory links of the source and, for another host, of the destination
    std::array<double, 2> capacities{};  // their highest capacities, in bytes/s
    std::size_t count = 0;
    const NodeStep* step = nullptr;  // terms of the message, or null: those of the platform's route
    double more_latency = 0.0;       // s that are added to those of the step
  };
  Way way(const Parcel& parcel);

  // Return whether the host's memory has a limit, and its way for the memory traffic of a computation.
  bool limits(HostId host) const;
  Way way_of_traffic(HostId host);

  // Return the host whose memory is the link, or kNone.
  HostId host_of(LinkId link) const;

 private:
  const NodeGroup* group_of(HostId host) const;
  void append(const NodeGroup* group, HostId host, Way& way);
  LinkId link_of(const NodeGroup& group, HostId host);
  double queue_latency(const NodeGroup& group, const Parcel& parcel);
  double polling_latency(const NodeGroup* source, const NodeGroup* destination, const Parcel& parcel);

  const Platform& platform_;
  Network& network_;
  const bool on_;
  std::unordered_map<HostId, LinkId> links_;
  std::unordered_map<LinkId, HostId> hosts_;
  // By host << 32 | core of the receiver, or of the rank.
  std::unordered_map<std::uint64_t, std::uint32_t> last_senders_;  // cores
  std::unordered_map<std::uint64_t, std::uint8_t> partners_;       // bits: 1 for its host, 2 for other hosts
};

}  // namespace pysmpi
