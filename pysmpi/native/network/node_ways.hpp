// Ways of messages through hosts, which are the links that a message crosses there and its latency: memories, which
// messages inside a host share with those that enter or leave it; network cards; and latencies that depend on the
// sockets of both cores.
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

  // Return whether the platform describes the inside of any host and the option platform/node-model uses the
  // description.
  bool any() const { return on_; }

  struct Way {
    // Memory links and cards of the source and, for another host, of the destination, and a link of the pair of ranks.
    std::array<LinkId, 5> links{};
    std::array<double, 5> capacities{};  // their highest capacities, in bytes/s
    std::size_t count = 0;
    // In s and bytes/s, from the table of the message's level. Without a table the bandwidth is 0, and the message
    // takes the latency and bandwidth of the platform's route.
    double latency = 0.0;
    double bandwidth = 0.0;
    double more_latency = 0.0;  // s that are added to the latency of the table or the route
    std::uint32_t cards = 1;    // cards of the host with more of them; 1 inside a host
    double slowdown = 1.0;      // factor by which the bandwidth of a message is divided
    double share = 1.0;         // bytes that the message takes from each link per byte
  };
  // Return the way of a message. `route_latency` is the latency of the platform's route in seconds, and 0 inside a
  // host.
  Way way(double now, const Parcel& parcel, double route_latency);

  // Return whether a message is slower if its sender has received its data (Parcel::forwarded).
  bool slows_forwarded() const { return slows_forwarded_; }

  // Return the latency and bandwidth that way() takes from the table of the message's level, or null if it has no
  // table.
  const NodeStep* step(const Parcel& parcel) const;

  // limits() returns whether the host's memory has a limited bandwidth, way_of_traffic() the way of a computation's
  // traffic.
  bool limits(HostId host) const;
  Way way_of_traffic(HostId host);

  // Return the host, and the part of it, that this link of the network represents.
  HostLink part_of(LinkId link) const { return links_.part_of(link); }

 private:
  const NodeGroup* group_of(HostId host) const;
  NodeLevel level_of(const NodeGroup& group, const Parcel& parcel) const;
  std::uint32_t card_of(const NodeGroup* group, HostId host, std::uint32_t core) const;
  void append(const NodeGroup* group, const HostLink& of, Way& way);
  double queue_latency(const NodeGroup& group, const Parcel& parcel);
  static double rack_latency(const NodeGroup* source, const NodeGroup* destination, const Parcel& parcel);
  double polling_latency(const NodeGroup* source, const NodeGroup* destination, const Parcel& parcel);

  const Platform& platform_;
  const bool on_;
  const bool slows_forwarded_;
  NodeLinks links_;
  NodeCards cards_;
  // Both maps are indexed by host << 32 | core: last_senders_ of the receiver, partners_ of either rank.
  std::unordered_map<std::uint64_t, std::uint32_t> last_senders_;  // core of the rank that last sent to this one
  std::unordered_map<std::uint64_t, std::uint8_t> partners_;       // bits: 1 for partners on its host, 2 for others
};

}  // namespace pysmpi
