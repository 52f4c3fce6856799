// A platform that is a tree of zones. Python builds the tree through platform/c_api.h.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "platform/cluster.hpp"
#include "platform/host_names.hpp"
#include "platform/platform.hpp"
#include "platform/route_table.hpp"
#include "platform/zone.hpp"

namespace pysmpi {

enum class Routing : std::uint8_t { kFull, kFloyd, kDijkstra, kDijkstraCache, kStar, kVivaldi, kNone };

class ZonedPlatform final : public Platform {
 public:
  // The platform is built in the order of the description. Each call adds to the innermost open zone.
  ZoneId begin_zone(std::string name, Routing routing);
  void end_zone();
  HostId add_host(std::string name, double speed, std::int32_t cores);
  void add_router(std::string name);
  LinkId add_link(std::string name, const LinkSettings& settings);
  ZoneId add_cluster(std::unique_ptr<Cluster> cluster);
  void add_disk(const DiskSettings& disk) { disks_.push_back(disk); }
  void add_node_group(NodeGroup group) { node_groups_.push_back(std::move(group)); }
  NodeGroup& latest_node_group() { return node_groups_.back(); }
  void add_profile(Profile profile) { profiles_.push_back(std::move(profile)); }
  // Returns the routes that take precedence over those of a zone's routing. These routes join members of the zone, or
  // zones (given by id) within two different members.
  RouteTable& bypasses(ZoneId zone) { return bypasses_[zone]; }
  // Sets the routing of clusters (by default as described) and the seed of random choices. Clusters with a single way
  // between two hosts ignore the routing.
  void choose_routes(std::optional<RoutingChoice> routing, std::uint64_t seed);
  // Sets the cables and the latency of the loopbacks of a cluster (numbered in order) for later simulations.
  void set_cables(std::size_t cluster, double bandwidth, double latency, double loopback_latency) {
    clusters_[cluster]->set_cables(bandwidth, latency, loopback_latency);
  }
  // next_place returns the point (parent zone and member number) of the next zone, and next_depth its depth in the
  // tree. Constructors of clusters need these values.
  Point next_place() const;
  std::uint32_t next_depth() const { return static_cast<std::uint32_t>(open_.size()); }
  ZoneId open_zone() const { return open_.empty() ? kNone : open_.back(); }
  // Ends the description. Routes exist only after this call, and nothing may be added after it.
  void seal();

  Zone& zone(ZoneId id) { return *zones_[id]; }
  const Zone& zone(ZoneId id) const { return *zones_[id]; }
  ZoneId zone_count() const { return static_cast<ZoneId>(zones_.size()); }
  Hop hop(LinkId link) const { return {link, link_latency(link)}; }

  // Look-ups by name; they return kNone for unknown names.
  ZoneId find_zone(const std::string& name) const;
  // Returns the link with this name, or kNone. In clusters, this function finds all links of hosts and the backbone; it
  // finds other links only if they fit into a table of a million names.
  LinkId find_link(const std::string& name) const;
  HostNames& names() { return names_; }
  const HostNames& names() const { return names_; }

  HostId host_count() const override { return host_count_; }
  Host host(HostId id) const override;
  double host_speed(HostId id) const override;
  std::int32_t host_cores(HostId id) const override;
  bool routes_by_load() const override;
  std::uint32_t channels() const override;
  bool has_varying_routes() const override;
  LinkId link_count() const override { return link_count_; }
  Link link(LinkId id) const override;
  double link_bandwidth(LinkId id) const override { return link_settings(id).bandwidth; }
  double link_latency(LinkId id) const override { return link_settings(id).latency; }
  SharingPolicy link_policy(LinkId id) const override { return link_settings(id).policy; }
  const std::vector<DiskSettings>& disks() const override { return disks_; }
  const std::vector<NodeGroup>& node_groups() const override { return node_groups_; }
  const Scaling& scaling() const override { return scaling_; }
  Scaling& scaling() { return scaling_; }  // may be changed only after seal()
  const std::vector<Profile>& profiles() const override { return profiles_; }
  bool route(HostId source, HostId destination, Route& out) const override;

  // Appends the route between any two hosts or routers. Returns false if none exists.
  bool global_route(Point source, Point destination, Route& out) const;

 private:
  // Hosts or links with consecutive ids: all hosts or links of one cluster, or some that are described one by one.
  struct Range {
    std::uint32_t first;
    const Cluster* cluster;  // null if described one by one
    std::uint32_t own;       // index of the first one in own_hosts_ or own_links_
    Point point;             // point of the first host
  };
  static const Range& range_of(const std::vector<Range>& ranges, std::uint32_t id);
  Point point_of(HostId host) const;
  const ListedRoute* find_bypass(ZoneId common, Point source, Point destination) const;
  LinkSettings link_settings(LinkId id) const;
  void name_cluster_links() const;
  Zone& innermost() { return *zones_[open_.back()]; }

  std::vector<std::unique_ptr<Zone>> zones_;
  std::vector<ZoneId> open_;
  std::vector<Cluster*> clusters_;
  std::unordered_map<std::string, ZoneId> zone_names_;

  struct OwnHost {
    std::uint32_t name;  // number of the name in names_
    double speed;
    std::int32_t cores;
  };
  struct OwnLink {
    std::string name;
    LinkSettings settings;
  };
  std::vector<Range> host_ranges_, link_ranges_;
  std::vector<OwnHost> own_hosts_;
  std::vector<OwnLink> own_links_;
  HostNames names_;
  std::unordered_map<std::string, LinkId> link_names_;
  // Links of clusters by name, up to a limit. Filled when find_link does not find a name elsewhere.
  mutable std::unordered_map<std::string, LinkId> cluster_link_names_;
  mutable std::size_t named_link_ranges_ = 0;
  std::unordered_map<ZoneId, RouteTable> bypasses_;
  std::vector<DiskSettings> disks_;
  std::vector<NodeGroup> node_groups_;
  Scaling scaling_;
  std::vector<Profile> profiles_;
  HostId host_count_ = 0;
  LinkId link_count_ = 0;
  LinkId loopback_ = kNone;
};

}  // namespace pysmpi
