// Clusters: zones of equal hosts. Hosts, links, names and routes are computed on demand, so a cluster of a million
// hosts takes no more memory than one of ten.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/routing_choice.hpp"
#include "platform/zone.hpp"

namespace pysmpi {

// The numbers in the host names of a cluster, such as 0-7,9,12-13. Hosts are in the order of this list.
class Radical {
 public:
  struct Run {
    std::int64_t first;
    std::uint32_t count;
    std::uint32_t start = 0;  // index of the first number
  };
  explicit Radical(std::vector<Run> runs);

  std::uint32_t size() const { return size_; }
  std::int64_t number(std::uint32_t index) const;
  std::optional<std::uint32_t> index(std::int64_t number) const;
  const std::vector<Run>& runs() const { return runs_; }  // consecutive numbers, in the order of the description

 private:
  std::vector<Run> runs_;
  std::vector<std::uint32_t> by_first_;
  std::uint32_t size_ = 0;
};

struct LinkSettings {
  double bandwidth;  // bytes/s
  double latency;    // s
  SharingPolicy policy;
};

struct ClusterSettings {
  std::string prefix, suffix;
  Radical radical{{}};
  double speed = 0;  // flop/s of one core
  std::int32_t cores = 1;
  double bandwidth = 0;                  // bandwidth of each cable, bytes/s
  double latency = 0;                    // latency of each cable, s
  bool split_duplex = true;              // each cable is two links, one for each direction
  std::optional<LinkSettings> loopback;  // loopback link of each host
  RoutingChoice routing = RoutingChoice::kOne;
  double limiter_bandwidth = 0;  // limit on all traffic of a host, in bytes/s; 0 for no limit
};

class Cluster : public Zone {
 public:
  Cluster(std::string name, Point place, std::uint32_t depth, ClusterSettings settings);

  const ClusterSettings& settings() const { return settings_; }
  std::uint32_t host_count() const { return settings_.radical.size(); }
  std::string host_name(std::uint32_t host) const;

  // Links of a cluster are numbered from 0 in this order: loopbacks of hosts, limiters of hosts, limiters of switches,
  // cables. A limiter is a link that limits the total bandwidth of one host or switch.
  std::uint32_t link_count() const;
  LinkSettings link(std::uint32_t index) const;
  std::string link_name(std::uint32_t index) const;
  std::optional<std::uint32_t> find_link(std::string_view name) const;  // finds a link of a host, or the backbone

  // Sets the routing and the seed of random choices for later routes.
  void choose_routes(RoutingChoice routing, std::uint64_t seed) {
    routing_ = routing;
    seed_ = seed;
  }

  RoutingChoice routing() const { return routing_; }

  // Sets the bandwidth (bytes/s) and latency (s) of all cables, and the latency of loopbacks if there are any.
  void set_cables(double bandwidth, double latency, double loopback_latency) {
    settings_.bandwidth = bandwidth;
    settings_.latency = latency;
    if (settings_.loopback) settings_.loopback->latency = loopback_latency;
  }

  // Returns the number of the member that is the cluster's router, if the topology has one.
  virtual std::optional<std::uint32_t> gateway() const { return std::nullopt; }

  // Returns the number of virtual channels that routes use (Platform::channels). It presumes cables with a link for
  // each direction; with one link for both, packets that come and go would wait for each other.
  virtual std::uint32_t channels() const { return 1; }

  std::uint32_t cable_count() const { return cable_links() / width(); }

  // Sets the platform's number of the cluster's first link. The platform calls this before the first route.
  void place_links(LinkId first);
  LinkId first_link() const { return first_link_; }

 protected:
  // Returns the number of links other than loopbacks and limiters. A cable is one link, or two links if split: first
  // up, then down.
  virtual std::uint32_t cable_links() const = 0;
  virtual LinkSettings cable_link(std::uint32_t index) const = 0;
  virtual std::string cable_link_name(std::uint32_t index) const = 0;
  virtual std::uint32_t switches() const { return 0; }  // number of switches with a limiter, if there are limiters
  virtual std::string limiter_number(std::uint32_t index) const = 0;

  std::uint32_t width() const { return settings_.split_duplex ? 2 : 1; }
  LinkSettings plain_cable(double count = 1) const;  // `count` cables bundled into one
  std::string with_direction(std::string cable, std::uint32_t index) const;

  Draw draw_for(std::uint32_t source, std::uint32_t destination, const Route& route) const {
    return {seed_, source, destination, route.message};
  }

  // Returns a number for a packet: random for the first packet of a message, and greater by 1 for each further packet
  // of it.
  std::uint64_t turn_of(std::uint32_t source, std::uint32_t destination, const Route& route) const {
    constexpr std::uint64_t kPackets = std::uint64_t{1} << Route::kPacketBits;
    Draw draw(seed_, source, destination, route.message / kPackets);
    return draw.below(UINT32_MAX) + route.message % kPackets;
  }

  LinkId cable(std::uint32_t index) const { return first_cable_ + index; }
  LinkId up(std::uint32_t number) const { return first_cable_ + number * width(); }
  LinkId down(std::uint32_t number) const { return up(number) + width() - 1; }

  bool has_loopback() const { return settings_.loopback.has_value(); }
  bool has_limiter() const { return settings_.limiter_bandwidth > 0; }

  void append_loopback(std::uint32_t host, Route& out) const {
    Hop{first_link_ + host, settings_.loopback->latency}.append_to(out);
  }
  void append_limiter(std::uint32_t index, Route& out) const {
    if (has_limiter()) out.links.push_back(first_limiter_ + index);
  }
  void append_cable(LinkId link, Route& out) const { Hop{link, settings_.latency}.append_to(out); }

 private:
  std::uint32_t loopbacks() const { return has_loopback() ? host_count() : 0; }
  std::uint32_t limiters() const { return has_limiter() ? host_count() + switches() : 0; }

  ClusterSettings settings_;
  RoutingChoice routing_;
  std::uint64_t seed_ = 0;
  LinkId first_link_ = 0;
  LinkId first_limiter_ = 0;
  LinkId first_cable_ = 0;
};

}  // namespace pysmpi
