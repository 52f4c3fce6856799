// Functions that build the tree of zones and find routes across zones.
#include "platform/zoned_platform.hpp"

#include <algorithm>

#include "base/options.hpp"
#include "platform/zones/dijkstra_zone.hpp"
#include "platform/zones/floyd_zone.hpp"
#include "platform/zones/full_zone.hpp"
#include "platform/zones/star_zone.hpp"
#include "platform/zones/vivaldi_zone.hpp"

namespace pysmpi {
namespace {

constexpr std::size_t kMaxNamedLinks = 1'000'000;

std::unique_ptr<Zone> make_zone(std::string name, Routing routing, Point place, std::uint32_t depth,
                                const ZonedPlatform& platform) {
  switch (routing) {
    case Routing::kFull:
      return std::make_unique<FullZone>(std::move(name), place, depth);
    case Routing::kFloyd:
      return std::make_unique<FloydZone>(std::move(name), place, depth, platform);
    case Routing::kDijkstra:
      return std::make_unique<DijkstraZone>(std::move(name), place, depth, platform, false);
    case Routing::kDijkstraCache:
      return std::make_unique<DijkstraZone>(std::move(name), place, depth, platform, true);
    case Routing::kStar:
      return std::make_unique<StarZone>(std::move(name), place, depth);
    case Routing::kVivaldi:
      return std::make_unique<VivaldiZone>(std::move(name), place, depth);
    case Routing::kNone:
      break;
  }
  return std::make_unique<EmptyZone>(std::move(name), place, depth);
}

}  // namespace

Point ZonedPlatform::next_place() const {
  return open_.empty() ? Point{} : Point{open_.back(), zones_[open_.back()]->members()};
}

ZoneId ZonedPlatform::begin_zone(std::string name, Routing routing) {
  const ZoneId id = zone_count();
  zone_names_.emplace(name, id);
  zones_.push_back(make_zone(std::move(name), routing, next_place(), next_depth(), *this));
  if (!open_.empty()) innermost().add_zone();
  open_.push_back(id);
  return id;
}

void ZonedPlatform::end_zone() { open_.pop_back(); }

HostId ZonedPlatform::add_host(std::string name, double speed, std::int32_t cores) {
  const HostId id = host_count_++;
  const Point point{open_.back(), innermost().add_member()};
  const bool continues = !host_ranges_.empty() && host_ranges_.back().cluster == nullptr &&
                         host_ranges_.back().point.zone == point.zone &&
                         host_ranges_.back().point.local + (id - host_ranges_.back().first) == point.local;
  if (!continues) host_ranges_.push_back({id, nullptr, static_cast<std::uint32_t>(own_hosts_.size()), point});
  names_.add(name, {point, id});
  own_hosts_.push_back({static_cast<std::uint32_t>(names_.own_count() - 1), speed, cores});
  return id;
}

void ZonedPlatform::add_router(std::string name) {
  names_.add(std::move(name), {Point{open_.back(), innermost().add_member()}, kNone});
}

LinkId ZonedPlatform::add_link(std::string name, const LinkSettings& settings) {
  const LinkId id = link_count_++;
  if (link_ranges_.empty() || link_ranges_.back().cluster != nullptr) {
    link_ranges_.push_back({id, nullptr, static_cast<std::uint32_t>(own_links_.size()), Point{}});
  }
  link_names_.emplace(name, id);
  own_links_.push_back({std::move(name), settings});
  return id;
}

ZoneId ZonedPlatform::add_cluster(std::unique_ptr<Cluster> cluster) {
  const ZoneId id = zone_count();
  zone_names_.emplace(cluster->name(), id);
  names_.add_cluster(*cluster, id, host_count_);
  clusters_.push_back(cluster.get());
  cluster->place_links(link_count_);
  host_ranges_.push_back({host_count_, cluster.get(), 0, Point{id, 0}});
  if (cluster->link_count() > 0) link_ranges_.push_back({link_count_, cluster.get(), 0, Point{}});
  host_count_ += cluster->host_count();
  link_count_ += cluster->link_count();
  if (!open_.empty()) innermost().add_zone();
  zones_.push_back(std::move(cluster));
  return id;
}

void ZonedPlatform::seal() {
  const bool needs_loopback = std::any_of(zones_.begin(), zones_.end(), [](const std::unique_ptr<Zone>& zone) {
    return dynamic_cast<const RoutedZone*>(zone.get()) != nullptr && !zone->has_zones() && zone->members() > 0;
  });
  if (needs_loopback) loopback_ = link_count_++;
  for (const std::unique_ptr<Zone>& zone : zones_) zone->seal(loopback_);
}

ZoneId ZonedPlatform::find_zone(const std::string& name) const {
  const auto found = zone_names_.find(name);
  return found == zone_names_.end() ? kNone : found->second;
}

void ZonedPlatform::choose_routes(std::optional<RoutingChoice> routing, std::uint64_t seed) {
  for (Cluster* cluster : clusters_) cluster->choose_routes(routing.value_or(cluster->settings().routing), seed);
}

bool ZonedPlatform::routes_by_load() const {
  return std::any_of(clusters_.begin(), clusters_.end(), [](const Cluster* cluster) {
    const RoutingChoice routing = cluster->routing();
    return routing == RoutingChoice::kUgal || routing == RoutingChoice::kUgalLocal ||
           routing == RoutingChoice::kUgalSst7;
  });
}

std::uint32_t ZonedPlatform::channels() const {
  if (clusters_.size() != 1 || clusters_.front()->host_count() != host_count_ || !bypasses_.empty()) return 0;
  return clusters_.front()->settings().split_duplex ? clusters_.front()->channels() : 0;
}

bool ZonedPlatform::has_varying_routes() const {
  return std::any_of(clusters_.begin(), clusters_.end(),
                     [](const Cluster* cluster) { return cluster->routing() != RoutingChoice::kOne; });
}

LinkId ZonedPlatform::find_link(const std::string& name) const {
  if (const auto found = link_names_.find(name); found != link_names_.end()) return found->second;
  // A link of a single host or the backbone has a name such as NAME_link_… or NAME_backbone, where NAME is the
  // cluster's.
  const auto in_cluster = [&](std::size_t length) {
    const auto zone = zone_names_.find(name.substr(0, length));
    const auto* cluster =
        zone == zone_names_.end() ? nullptr : dynamic_cast<const Cluster*>(zones_[zone->second].get());
    const auto index = cluster == nullptr ? std::nullopt : cluster->find_link(name);
    return index ? cluster->first_link() + *index : kNone;
  };
  for (const std::string_view after : {"_link_", "_backbone"}) {
    for (std::size_t at = name.find(after); at != std::string::npos; at = name.find(after, at + 1)) {
      if (const LinkId link = in_cluster(at); link != kNone) return link;
    }
  }
  name_cluster_links();
  const auto found = cluster_link_names_.find(name);
  return found == cluster_link_names_.end() ? kNone : found->second;
}

void ZonedPlatform::name_cluster_links() const {
  for (; named_link_ranges_ < link_ranges_.size(); ++named_link_ranges_) {
    const auto [first, cluster, own, point] = link_ranges_[named_link_ranges_];
    if (cluster == nullptr || cluster->link_count() > kMaxNamedLinks - cluster_link_names_.size()) continue;
    for (std::uint32_t link = 0; link < cluster->link_count(); ++link) {
      cluster_link_names_.emplace(cluster->link_name(link), first + link);
    }
  }
}

const ZonedPlatform::Range& ZonedPlatform::range_of(const std::vector<Range>& ranges, std::uint32_t id) {
  if (ranges.size() == 1) return ranges.front();
  return *(std::upper_bound(ranges.begin(), ranges.end(), id,
                            [](std::uint32_t value, const Range& range) { return value < range.first; }) -
           1);
}

Point ZonedPlatform::point_of(HostId host) const {
  const Range& range = range_of(host_ranges_, host);
  return {range.point.zone, range.point.local + (host - range.first)};
}

Host ZonedPlatform::host(HostId id) const {
  const Range& range = range_of(host_ranges_, id);
  if (range.cluster != nullptr) {
    return {range.cluster->host_name(id - range.first), range.cluster->settings().speed,
            range.cluster->settings().cores};
  }
  const OwnHost& own = own_hosts_[range.own + (id - range.first)];
  return {names_.own_name(own.name), own.speed, own.cores};
}

double ZonedPlatform::host_speed(HostId id) const {
  const Range& range = range_of(host_ranges_, id);
  return range.cluster != nullptr ? range.cluster->settings().speed : own_hosts_[range.own + (id - range.first)].speed;
}

std::int32_t ZonedPlatform::host_cores(HostId id) const {
  const Range& range = range_of(host_ranges_, id);
  return range.cluster != nullptr ? range.cluster->settings().cores : own_hosts_[range.own + (id - range.first)].cores;
}

LinkSettings ZonedPlatform::link_settings(LinkId id) const {
  // The network model's loopback link has the values of the options, which may change until the simulation begins.
  if (id == loopback_) return {options().loopback_bandwidth, options().loopback_latency, SharingPolicy::kFatpipe};
  const Range& range = range_of(link_ranges_, id);
  LinkSettings settings = range.cluster != nullptr ? range.cluster->link(id - range.first)
                                                   : own_links_[range.own + (id - range.first)].settings;
  settings.bandwidth *= scaling_.bandwidths.of(id);
  settings.latency *= scaling_.latencies;
  return settings;
}

Link ZonedPlatform::link(LinkId id) const {
  const LinkSettings settings = link_settings(id);
  std::string name = "__loopback__";
  if (id != loopback_) {
    const Range& range = range_of(link_ranges_, id);
    name = range.cluster != nullptr ? range.cluster->link_name(id - range.first)
                                    : own_links_[range.own + (id - range.first)].name;
  }
  return {std::move(name), settings.bandwidth, settings.latency, settings.policy};
}

bool ZonedPlatform::route(HostId source, HostId destination, Route& out) const {
  out.clear();
  const bool found = global_route(point_of(source), point_of(destination), out);
  out.latency *= scaling_.latencies;
  return found && (!out.links.empty() || out.latency > 0);
}

// A bypass may join any zone around the source to any zone around the destination, within their common zone. SimGrid
// tries the two innermost zones first, then zones further out (NetZoneImpl.cpp, get_bypass_route).
const ListedRoute* ZonedPlatform::find_bypass(ZoneId common, Point source, Point destination) const {
  const auto found = bypasses_.find(common);
  if (found == bypasses_.end()) return nullptr;
  const RouteTable& bypasses = found->second;
  if (source.zone == destination.zone) return bypasses.find(source.local, destination.local);
  const auto zones_around = [&](Point point) {
    std::vector<ZoneId> zones;
    for (ZoneId zone = point.zone; zone != common; zone = zones_[zone]->place().zone) zones.push_back(zone);
    return zones;
  };
  const std::vector<ZoneId> from = zones_around(source);
  const std::vector<ZoneId> to = zones_around(destination);
  const auto look_up = [&](std::size_t from_index, std::size_t to_index) -> const ListedRoute* {
    if (from_index >= from.size() || to_index >= to.size()) return nullptr;
    return bypasses.find(from[from_index], to[to_index]);
  };
  for (std::size_t outer = 0; outer < std::max(from.size(), to.size()); ++outer) {
    for (std::size_t inner = 0; inner < outer; ++inner) {
      if (const ListedRoute* bypass = look_up(inner, outer)) return bypass;
      if (const ListedRoute* bypass = look_up(outer, inner)) return bypass;
    }
    if (const ListedRoute* bypass = look_up(outer, outer)) return bypass;
  }
  return nullptr;
}

bool ZonedPlatform::global_route(Point source, Point destination, Route& out) const {
  Gateways gateways;
  const auto append_bypass = [&](ZoneId zone, const ListedRoute& bypass) {
    for (const Hop& hop : bypasses_.at(zone).hops(bypass)) hop.append_to(out);
  };
  if (source.zone == destination.zone) {
    if (const ListedRoute* bypass = find_bypass(source.zone, source, destination)) {
      append_bypass(source.zone, *bypass);
      return true;
    }
    return zones_[source.zone]->local_route(source.local, destination.local, out, gateways);
  }
  // Go up the tree of zones from both ends, to the two members of their common zone.
  Point from = zones_[source.zone]->place();
  Point to = zones_[destination.zone]->place();
  std::uint32_t from_depth = zones_[source.zone]->depth();
  std::uint32_t to_depth = zones_[destination.zone]->depth();
  while (from.zone != to.zone) {
    const bool climb_from = from_depth >= to_depth;
    const bool climb_to = to_depth >= from_depth;
    if (climb_from) {
      from = zones_[from.zone]->place();
      --from_depth;
    }
    if (climb_to) {
      to = zones_[to.zone]->place();
      --to_depth;
    }
  }
  if (from == to || from.zone == kNone) return false;
  if (const ListedRoute* bypass = find_bypass(from.zone, source, destination)) {
    // If the source or the destination is itself the gateway, SimGrid adds the gateway's route to itself (a loopback if
    // the zone has one).
    if (!global_route(source, bypass->gateways.source, out)) return false;
    append_bypass(from.zone, *bypass);
    return global_route(bypass->gateways.destination, destination, out);
  }

  // SimGrid adds the latency of the route between the two members of the common zone first. Therefore this route is
  // found first. Its links are set aside until the route from the source to its gateway, which precedes them, has been
  // appended.
  const std::size_t begin = out.begin;
  const std::size_t before = out.links.size();
  out.begin = before;
  const bool found = zones_[from.zone]->local_route(from.local, to.local, out, gateways);
  out.begin = begin;
  if (!found) return false;
  if (!(source == gateways.source)) {
    const auto first = out.links.begin() + static_cast<std::ptrdiff_t>(before);
    const auto count = out.links.end() - first;
    out.set_aside.insert(out.set_aside.end(), first, out.links.end());
    out.links.resize(before);
    if (!global_route(source, gateways.source, out)) return false;
    out.links.insert(out.links.end(), out.set_aside.end() - count, out.set_aside.end());
    out.set_aside.resize(out.set_aside.size() - static_cast<std::size_t>(count));
  }
  return gateways.destination == destination || global_route(gateways.destination, destination, out);
}

}  // namespace pysmpi
