// Ways of messages through hosts: memories, which messages inside a host share with those that enter or leave it,
// network cards, and latencies by the places of both cores.
#pragma once

#include <array>
#include <unordered_map>

#include "network/network.hpp"
#include "network/node_cards.hpp"
#include "network/node_links.hpp"
#include "platform/node.hpp"
#include "platform/platform.hpp"

namespace pysmpi {

struct Parcel;

class NodeWays {
 public:
  NodeWays(const Platform& platform, Network& network);

  // Return whether any host has properties of its inside, and the option platform/node-model uses them.
  bool any() const { return on_; }

  struct Way {
    std::array<LinkId, 4> links{};  // memory links and cards of the source and, for another host, of the destination
    std::array<double, 4> capacities{};  // their highest capacities, in bytes/s
    std::size_t count = 0;
    double latency = 0.0;    // s and bytes/s, from the table of the message's level; the bandwidth is 0 if there is no
    double bandwidth = 0.0;  // table, and the message takes the terms of the platform's route
    double more_latency = 0.0;  // s that are added to those of the table or the route
    double slowdown = 1.0;      // by which the bandwidth of a message is divided
    double share = 1.0;         // bytes that the message takes from each link per byte
  };
  // `route_latency` (s) is that of the platform's route, and 0 inside a host.
  Way way(double now, const Parcel& parcel, double route_latency);

  // Return whether a message is slower if its sender has received its data (Parcel::forwarded).
  bool slows_forwarded() const { return slows_forwarded_; }

  // Return the step of the table that way() will use, or null.
  const NodeStep* step(const Parcel& parcel) const;

  // Return whether the host's memory has a limit, and its way for the memory traffic of a computation.
  bool limits(HostId host) const;
  Way way_of_traffic(HostId host);

  // Return the host and the part that the network's link is.
  HostLink part_of(LinkId link) const { return links_.part_of(link); }

 private:
  const NodeGroup* group_of(HostId host) const;
  NodeLevel level_of(const NodeGroup& group, const Parcel& parcel) const;
  void append(const NodeGroup* group, HostId host, HostPart part, Way& way);
  double queue_latency(const NodeGroup& group, const Parcel& parcel);
  double polling_latency(const NodeGroup* source, const NodeGroup* destination, const Parcel& parcel);

  const Platform& platform_;
  const bool on_;
  const bool slows_forwarded_;
  NodeLinks links_;
  NodeCards cards_;
  // By host << 32 | core of the receiver, or of the rank.
  std::unordered_map<std::uint64_t, std::uint32_t> last_senders_;  // cores
  std::unordered_map<std::uint64_t, std::uint8_t> partners_;       // bits: 1 for its host, 2 for other hosts
};

}  // namespace pysmpi
