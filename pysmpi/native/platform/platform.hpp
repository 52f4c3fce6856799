// The simulated machine: hosts, links and the route between any two hosts. Python reads the description and builds the
// platform through platform/c_api.h. Routes are computed on demand and never tabulated for all pairs.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "platform/node.hpp"
#include "platform/profile.hpp"
#include "platform/scaling.hpp"

namespace pysmpi {

// Loads of links, for routings that depend on them.
class LinkLoads {
 public:
  // load() returns the seconds that a byte takes on a link if all messages on the link share it evenly, or 0 for an
  // idle link. load_with_one_more() returns the same as if one more message used the link.
  virtual double load_with_one_more(LinkId link) const = 0;
  virtual double load(LinkId link) const = 0;

 protected:
  ~LinkLoads() = default;
};

struct Route {
  std::vector<LinkId> links;
  double latency = 0.0;  // plain sum, seconds

  // Input of routings that choose among several routes: the number of the message, on which random choices depend, and
  // the loads of links (null if all links are idle). Where each packet of a message has its own route, the lowest
  // kPacketBits bits are the number of the packet in its message.
  static constexpr int kPacketBits = 24;
  std::uint64_t message = 0;
  const LinkLoads* loads = nullptr;
  bool without_choices = false;  // input: leave out the links that a routing chooses by their loads
  std::size_t crossed = 0;       // input: links that a packet has crossed when a routing is asked again (next_choice)

  // Output: number of links before the first link that the routing has chosen, or would choose, by its load.
  static constexpr std::size_t kNoChoice = SIZE_MAX;
  std::size_t choice = kNoChoice;
  std::size_t next_choice = kNoChoice;  // output: number of links after which the routing is to be asked again

  // State while a route across zones is built: index of the first link of the part being built, and the links that will
  // follow this part.
  std::size_t begin = 0;
  std::vector<LinkId> set_aside;

  // Virtual channels of the links, which networks of packets need so that no packets wait for each other in a cycle
  // (W. J. Dally, C. L. Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE
  // Transactions on Computers C-36(5), 1987). From the link `position` on, the route uses `channel`; before, 0.
  struct ChannelChange {
    std::size_t position;
    std::uint32_t channel;
  };
  std::vector<ChannelChange> channel_changes;

  std::uint32_t channel() const { return channel_changes.empty() ? 0 : channel_changes.back().channel; }

  // Lets the links that follow use `next`.
  void use_channel(std::uint32_t next) {
    if (next != channel()) channel_changes.push_back({links.size(), next});
  }

  // Sets `out` to the channel of each link.
  void read_channels(std::vector<std::uint32_t>& out) const {
    out.assign(links.size(), 0);
    for (const ChannelChange& change : channel_changes) {
      std::fill(out.begin() + static_cast<std::ptrdiff_t>(change.position), out.end(), change.channel);
    }
  }

  // Removes the links from `from` up to, but not including, `to`.
  void erase(std::size_t from, std::size_t to) {
    links.erase(links.begin() + static_cast<std::ptrdiff_t>(from), links.begin() + static_cast<std::ptrdiff_t>(to));
    const auto inside = [&](const ChannelChange& change) { return change.position >= from && change.position < to; };
    std::erase_if(channel_changes, inside);
    for (ChannelChange& change : channel_changes) {
      if (change.position >= to) change.position -= to - from;
    }
  }

  void clear() {
    links.clear();
    latency = 0.0;
    choice = kNoChoice;
    next_choice = kNoChoice;
    begin = 0;
    set_aside.clear();
    channel_changes.clear();
  }
};

struct Host {
  std::string name;
  double speed;  // flop/s of one core, in the initial pstate
  std::int32_t cores;
};

struct Link {
  std::string name;
  double bandwidth;  // bytes/s
  double latency;    // s
  SharingPolicy policy;
};

struct DiskSettings {
  HostId host;             // owner of the disk
  double read_bandwidth;   // bytes/s
  double write_bandwidth;  // bytes/s
};

class Platform {
 public:
  virtual ~Platform() = default;
  virtual HostId host_count() const = 0;
  virtual Host host(HostId id) const = 0;  // constructs the name of the host
  virtual double host_speed(HostId id) const = 0;
  virtual std::int32_t host_cores(HostId id) const = 0;
  virtual bool routes_by_load() const = 0;  // true if the network must count the flows on its links
  virtual LinkId link_count() const = 0;
  virtual Link link(LinkId id) const = 0;              // constructs the name of the link
  virtual double link_bandwidth(LinkId id) const = 0;  // this and the next two functions construct no name
  virtual double link_latency(LinkId id) const = 0;
  virtual SharingPolicy link_policy(LinkId id) const = 0;

  virtual const std::vector<DiskSettings>& disks() const = 0;  // in the order of the description

  // Hosts whose inside the platform describes (platform/node.hpp), by ascending number; most platforms have none.
  virtual const std::vector<NodeGroup>& node_groups() const = 0;

  virtual const Scaling& scaling() const = 0;  // link() and similar functions already include the scaling

  // Changes of hosts and links, in the order of the description.
  virtual const std::vector<Profile>& profiles() const = 0;

  // Returns the number of virtual channels with which no packets on the platform's routes wait for each other in a
  // cycle, if each link of a route uses the channel that Route::channel_changes names; 0 if the platform does not know.
  virtual std::uint32_t channels() const = 0;
  virtual bool has_varying_routes() const = 0;  // true if the route between two hosts depends on the message

  // Clears `out` (except for message, loads, without_choices and crossed) and sets it to the links from source to
  // destination. The route of a host to itself is its loopback; without a loopback, the zone's routing provides the
  // route. Returns false if the description has no route, or if it has neither links nor latency (as in a torus without
  // loopbacks).
  virtual bool route(HostId source, HostId destination, Route& out) const = 0;
};

// The platform of simulations; null before one is installed (see platform/c_api.h).
Platform* current_platform();

}  // namespace pysmpi
