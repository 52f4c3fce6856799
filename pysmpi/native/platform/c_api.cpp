// C interface to platforms.
#include "platform/c_api.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <span>

#include "platform/lower_bound.hpp"
#include "platform/make_cluster.hpp"
#include "platform/zoned_platform.hpp"
#include "platform/zones/full_zone.hpp"
#include "platform/zones/star_zone.hpp"
#include "platform/zones/vivaldi_zone.hpp"

struct pysmpi_platform {
  pysmpi::ZonedPlatform platform;
  std::map<std::string, pysmpi::EarlierClusters> earlier_clusters;  // key: name of the topology
};

namespace pysmpi {
namespace {

pysmpi_platform* installed = nullptr;

Point to_point(std::uint64_t packed) { return {static_cast<ZoneId>(packed >> 32), static_cast<std::uint32_t>(packed)}; }

std::uint64_t packed(Point point) { return std::uint64_t{point.zone} << 32 | point.local; }

SharingPolicy to_policy(std::int32_t policy) {
  return policy == PYSMPI_FATPIPE ? SharingPolicy::kFatpipe : SharingPolicy::kShared;
}

std::vector<Hop> hops_of(const ZonedPlatform& platform, std::int32_t count, const std::uint32_t* links) {
  std::vector<Hop> hops;
  for (std::int32_t i = 0; i < count; ++i) hops.push_back(platform.hop(links[i]));
  return hops;
}

std::int32_t copy_name(const std::string& text, char* name, std::int32_t name_size) {
  const auto room = static_cast<std::size_t>(name_size);
  if (room > 0) {
    const std::size_t length = std::min(room - 1, text.size());
    std::memcpy(name, text.data(), length);
    name[length] = '\0';
  }
  return static_cast<std::int32_t>(text.size());
}

}  // namespace

Platform* current_platform() { return installed ? &installed->platform : nullptr; }

}  // namespace pysmpi

using pysmpi::to_point;

extern "C" {

pysmpi_platform* pysmpi_platform_new(void) { return new pysmpi_platform; }

void pysmpi_platform_free(pysmpi_platform* platform) {
  if (pysmpi::installed == platform) pysmpi::installed = nullptr;
  delete platform;
}

void pysmpi_platform_install(pysmpi_platform* platform) { pysmpi::installed = platform; }
const pysmpi_platform* pysmpi_platform_current(void) { return pysmpi::installed; }

uint32_t pysmpi_platform_begin_zone(pysmpi_platform* platform, const char* name, int32_t routing) {
  return platform->platform.begin_zone(name, static_cast<pysmpi::Routing>(routing));
}

void pysmpi_platform_end_zone(pysmpi_platform* platform) { platform->platform.end_zone(); }

uint32_t pysmpi_platform_add_host(pysmpi_platform* platform, const char* name, double speed, int32_t cores) {
  return platform->platform.add_host(name, speed, cores);
}

void pysmpi_platform_add_router(pysmpi_platform* platform, const char* name) { platform->platform.add_router(name); }

uint32_t pysmpi_platform_add_link(pysmpi_platform* platform, const char* name, double bandwidth, double latency,
                                  int32_t policy) {
  return platform->platform.add_link(name, {bandwidth, latency, pysmpi::to_policy(policy)});
}

uint32_t pysmpi_platform_add_cluster(pysmpi_platform* platform, const pysmpi_cluster* cluster) {
  pysmpi::ZonedPlatform& zoned = platform->platform;
  auto made = pysmpi::make_cluster(*cluster, zoned.next_place(), zoned.next_depth(), platform->earlier_clusters);
  if (made == nullptr) return UINT32_MAX;
  const auto gateway = made->gateway();
  const pysmpi::ZoneId zone = zoned.add_cluster(std::move(made));
  if (gateway) zoned.names().add(cluster->router, {pysmpi::Point{zone, *gateway}, pysmpi::kNone});
  return zone;
}

void pysmpi_platform_choose_routes(pysmpi_platform* platform, int32_t routing, uint64_t seed) {
  platform->platform.choose_routes(
      routing < 0 ? std::nullopt : std::optional(static_cast<pysmpi::RoutingChoice>(routing)), seed);
}

void pysmpi_platform_set_cables(pysmpi_platform* platform, uint32_t cluster, double bandwidth, double latency,
                                double loopback_latency) {
  platform->platform.set_cables(cluster, bandwidth, latency, loopback_latency);
}

int32_t pysmpi_platform_add_route(pysmpi_platform* platform, uint64_t source, uint64_t destination,
                                  uint64_t source_gateway, uint64_t destination_gateway, int32_t link_count,
                                  const uint32_t* links) {
  pysmpi::ZonedPlatform& zoned = platform->platform;
  const auto hops = pysmpi::hops_of(zoned, link_count, links);
  const std::uint32_t from = to_point(source).local;
  const std::uint32_t to = to_point(destination).local;
  pysmpi::Zone& zone = zoned.zone(zoned.open_zone());
  if (auto* star = dynamic_cast<pysmpi::StarZone*>(&zone)) return star->set_loopback(from, hops) ? 0 : -1;
  auto& routes = static_cast<pysmpi::RoutedZone&>(zone).routes();
  return routes.add(from, to, hops, {to_point(source_gateway), to_point(destination_gateway)}) ? 0 : -1;
}

int32_t pysmpi_platform_add_bypass(pysmpi_platform* platform, uint32_t source, uint32_t destination,
                                   uint64_t source_gateway, uint64_t destination_gateway, int32_t link_count,
                                   const uint32_t* links) {
  pysmpi::ZonedPlatform& zoned = platform->platform;
  pysmpi::RouteTable& bypasses = zoned.bypasses(zoned.open_zone());
  return bypasses.add(source, destination, pysmpi::hops_of(zoned, link_count, links),
                      {to_point(source_gateway), to_point(destination_gateway)})
             ? 0
             : -1;
}

void pysmpi_platform_set_ways(pysmpi_platform* platform, uint64_t host, int32_t up_count, const uint32_t* up,
                              int32_t down_count, const uint32_t* down) {
  pysmpi::ZonedPlatform& zoned = platform->platform;
  static_cast<pysmpi::StarZone&>(zoned.zone(zoned.open_zone()))
      .set_ways(to_point(host).local, pysmpi::hops_of(zoned, up_count, up), pysmpi::hops_of(zoned, down_count, down));
}

void pysmpi_platform_set_coordinates(pysmpi_platform* platform, uint64_t point, double x, double y, double height) {
  pysmpi::ZonedPlatform& zoned = platform->platform;
  static_cast<pysmpi::VivaldiZone&>(zoned.zone(zoned.open_zone()))
      .set_coordinates(to_point(point).local, {x, y, height});
}

void pysmpi_platform_add_disk(pysmpi_platform* platform, uint32_t host, double read_bandwidth, double write_bandwidth) {
  platform->platform.add_disk({host, read_bandwidth, write_bandwidth});
}

void pysmpi_platform_add_node_group(pysmpi_platform* platform, uint32_t first, uint32_t count, uint32_t sockets,
                                    int32_t shared_queue, double polling, double card_gap, double waiting_cost) {
  platform->platform.add_node_group({.first = first,
                                     .count = count,
                                     .sockets = sockets,
                                     .shared_queue = shared_queue != 0,
                                     .polling = polling,
                                     .card_gap = card_gap,
                                     .waiting_cost = waiting_cost});
}

void pysmpi_platform_set_forwarding(pysmpi_platform* platform, int32_t level, double bandwidth) {
  platform->platform.latest_node_group().forwarding[static_cast<std::size_t>(level)] = bandwidth;
}

void pysmpi_platform_add_share_step(pysmpi_platform* platform, double above, double share) {
  platform->platform.latest_node_group().shares.push_back({above, share});
}

void pysmpi_platform_add_memory_step(pysmpi_platform* platform, uint32_t messages, double bandwidth) {
  platform->platform.latest_node_group().memory.push_back({messages, bandwidth});
}

void pysmpi_platform_set_cards(pysmpi_platform* platform, uint32_t cards) {
  platform->platform.latest_node_group().cards = cards;
}

void pysmpi_platform_set_rack(pysmpi_platform* platform, uint32_t hosts, double latency) {
  platform->platform.latest_node_group().rack = hosts;
  platform->platform.latest_node_group().rack_latency = latency;
}

void pysmpi_platform_add_card_step(pysmpi_platform* platform, uint32_t messages, double bandwidth) {
  platform->platform.latest_node_group().card.push_back({messages, bandwidth});
}

void pysmpi_platform_add_node_step(pysmpi_platform* platform, int32_t level, double above, double latency,
                                   double bandwidth) {
  platform->platform.latest_node_group().levels[static_cast<std::size_t>(level)].push_back({above, latency, bandwidth});
}

void pysmpi_platform_add_profile(pysmpi_platform* platform, int32_t kind, uint32_t link_or_host, int32_t count,
                                 const double* dates, const double* values, double loop_after) {
  std::vector<pysmpi::Profile::Event> events;
  for (std::int32_t i = 0; i < count; ++i) events.push_back({dates[i], values[i]});
  platform->platform.add_profile({static_cast<pysmpi::ProfileKind>(kind), link_or_host, std::move(events), loop_after});
}

void pysmpi_platform_scale(pysmpi_platform* platform, int32_t what, uint32_t item, double factor) {
  pysmpi::Scaling& scaling = platform->platform.scaling();
  if (what == PYSMPI_SCALE_LATENCY) {
    scaling.latencies *= factor;
    return;
  }
  pysmpi::Factors& factors = what == PYSMPI_SCALE_BANDWIDTH ? scaling.bandwidths
                             : what == PYSMPI_SCALE_MEMORY  ? scaling.memories
                                                            : scaling.speeds;
  if (item == UINT32_MAX) {
    factors.multiply_all(factor);
  } else {
    factors.multiply(item, factor);
  }
}

void pysmpi_platform_scale_back(pysmpi_platform* platform) { platform->platform.scaling() = {}; }

int32_t pysmpi_platform_seal(pysmpi_platform* platform, uint32_t* zones, char* name, int32_t name_size) {
  if (const auto duplicate = platform->platform.names().find_duplicate()) {
    zones[0] = duplicate->first;
    zones[1] = duplicate->second;
    pysmpi::copy_name(duplicate->name, name, name_size);
    return duplicate->name.empty() ? -2 : -1;
  }
  platform->platform.seal();
  return 0;
}

int64_t pysmpi_platform_find_zone(const pysmpi_platform* platform, const char* name) {
  const pysmpi::ZoneId zone = platform->platform.find_zone(name);
  return zone == pysmpi::kNone ? -1 : std::int64_t{zone};
}

int64_t pysmpi_platform_find_host(const pysmpi_platform* platform, const char* name) {
  const auto node = platform->platform.names().find(name);
  return node && node->host != pysmpi::kNone ? std::int64_t{node->host} : -1;
}

int64_t pysmpi_platform_find_link(const pysmpi_platform* platform, const char* name) {
  const pysmpi::LinkId link = platform->platform.find_link(name);
  return link == pysmpi::kNone ? -1 : std::int64_t{link};
}

int64_t pysmpi_platform_find_node(const pysmpi_platform* platform, const char* name) {
  const auto node = platform->platform.names().find(name);
  return node ? static_cast<std::int64_t>(pysmpi::packed(node->point)) : -1;
}

uint64_t pysmpi_platform_zone_point(const pysmpi_platform* platform, uint32_t zone) {
  return pysmpi::packed(platform->platform.zone(zone).place());
}

uint32_t pysmpi_platform_open_zone(const pysmpi_platform* platform) { return platform->platform.open_zone(); }

int32_t pysmpi_platform_zone_holds(const pysmpi_platform* platform, uint32_t zone, uint64_t point) {
  pysmpi::ZoneId holder = to_point(point).zone;
  while (holder != zone && holder != pysmpi::kNone) holder = platform->platform.zone(holder).place().zone;
  return holder == zone ? 1 : 0;
}

uint32_t pysmpi_platform_host_count(const pysmpi_platform* platform) { return platform->platform.host_count(); }

uint32_t pysmpi_platform_link_count(const pysmpi_platform* platform) { return platform->platform.link_count(); }

int32_t pysmpi_platform_host_name(const pysmpi_platform* platform, uint32_t host, char* name, int32_t name_size) {
  return pysmpi::copy_name(platform->platform.host(host).name, name, name_size);
}

double pysmpi_platform_host_speed(const pysmpi_platform* platform, uint32_t host) {
  return platform->platform.host_speed(host);
}

int32_t pysmpi_platform_host_cores(const pysmpi_platform* platform, uint32_t host) {
  return platform->platform.host_cores(host);
}

int32_t pysmpi_platform_link_name(const pysmpi_platform* platform, uint32_t link, char* name, int32_t name_size) {
  return pysmpi::copy_name(platform->platform.link(link).name, name, name_size);
}

double pysmpi_platform_link_bandwidth(const pysmpi_platform* platform, uint32_t link) {
  return platform->platform.link_bandwidth(link);
}

double pysmpi_platform_link_latency(const pysmpi_platform* platform, uint32_t link) {
  return platform->platform.link_latency(link);
}

int32_t pysmpi_platform_link_policy(const pysmpi_platform* platform, uint32_t link) {
  return platform->platform.link_policy(link) == pysmpi::SharingPolicy::kFatpipe ? PYSMPI_FATPIPE : PYSMPI_SHARED;
}

uint32_t pysmpi_platform_channels(const pysmpi_platform* platform) { return platform->platform.channels(); }

int32_t pysmpi_platform_routes_vary(const pysmpi_platform* platform) {
  return platform->platform.has_varying_routes() ? 1 : 0;
}

int32_t pysmpi_platform_route_channels(const pysmpi_platform* platform, uint32_t source, uint32_t destination,
                                       uint64_t message, uint32_t* channels, int32_t room) {
  pysmpi::Route route;
  route.message = message;
  if (!platform->platform.route(source, destination, route)) return -1;
  std::vector<std::uint32_t> found;
  route.read_channels(found);
  std::copy_n(found.begin(), std::min(found.size(), static_cast<std::size_t>(room)), channels);
  return static_cast<std::int32_t>(found.size());
}

int32_t pysmpi_platform_route(const pysmpi_platform* platform, uint32_t source, uint32_t destination, uint64_t message,
                              uint32_t* links, int32_t room, double* latency) {
  pysmpi::Route route;
  route.message = message;
  if (!platform->platform.route(source, destination, route)) return -1;
  const std::size_t count = std::min(route.links.size(), static_cast<std::size_t>(room));
  std::copy_n(route.links.begin(), count, links);
  *latency = route.latency;
  return static_cast<std::int32_t>(route.links.size());
}

int32_t pysmpi_platform_route_beside_queue(const pysmpi_platform* platform, uint32_t source, uint32_t destination,
                                           uint64_t message, uint32_t crossed, uint32_t loaded, uint32_t* links,
                                           uint32_t* channels, int32_t room, uint32_t* next_choice) {
  struct OneQueue final : pysmpi::LinkLoads {
    double load_with_one_more(pysmpi::LinkId link) const override { return load(link) + 1.0; }
    double load(pysmpi::LinkId link) const override { return link == loaded ? 1.0 : 0.0; }
    std::uint32_t loaded = 0;
  } queue;
  queue.loaded = loaded;
  pysmpi::Route route;
  route.message = message;
  route.loads = &queue;
  route.crossed = crossed;
  if (!platform->platform.route(source, destination, route)) return -1;
  std::vector<std::uint32_t> found;
  route.read_channels(found);
  const std::size_t count = std::min(found.size(), static_cast<std::size_t>(room));
  std::copy_n(route.links.begin(), count, links);
  std::copy_n(found.begin(), count, channels);
  *next_choice = static_cast<std::uint32_t>(std::min<std::size_t>(route.next_choice, UINT32_MAX));
  return static_cast<std::int32_t>(found.size());
}

uint64_t pysmpi_platform_add_link_bytes(const pysmpi_platform* platform, uint64_t count, const uint32_t* sources,
                                        const uint32_t* destinations, uint64_t size_count, const double* sizes,
                                        uint64_t first_message, uint32_t draws, double* link_bytes) {
  const pysmpi::MessageSet messages{{sources, count}, {destinations, count}, {sizes, size_count}, first_message};
  return pysmpi::add_link_bytes(platform->platform, messages, draws, {link_bytes, platform->platform.link_count()});
}

uint32_t pysmpi_platform_busiest_link(const pysmpi_platform* platform, const double* link_bytes, double* seconds) {
  return pysmpi::busiest_link(platform->platform, {link_bytes, platform->platform.link_count()}, *seconds);
}

}  // extern "C"
