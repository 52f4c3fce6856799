// Makes clusters of the registered topologies from descriptions by Python.
#include "platform/make_cluster.hpp"

namespace pysmpi {
namespace {

// A local static variable, because registrations may run before a global variable of this file is initialised.
std::map<std::string, TopologyRegistration::Make>& registered_topologies() {
  static std::map<std::string, TopologyRegistration::Make> topologies;
  return topologies;
}

ClusterSettings settings_of(const pysmpi_cluster& cluster) {
  std::vector<Radical::Run> runs;
  for (std::int32_t i = 0; i < cluster.range_count; ++i) runs.push_back({cluster.firsts[i], cluster.counts[i]});
  ClusterSettings settings;
  settings.radical = Radical(std::move(runs));
  settings.prefix = cluster.prefix;
  settings.suffix = cluster.suffix;
  settings.speed = cluster.speed;
  settings.cores = cluster.cores;
  settings.bandwidth = cluster.bandwidth;
  settings.latency = cluster.latency;
  settings.split_duplex = cluster.split_duplex != 0;
  if (cluster.has_loopback != 0) {
    settings.loopback = {cluster.loopback_bandwidth, cluster.loopback_latency, SharingPolicy::kFatpipe};
  }
  settings.routing = static_cast<RoutingChoice>(cluster.routing);
  settings.limiter_bandwidth = cluster.limiter_bandwidth;
  return settings;
}

std::optional<LinkSettings> backbone_of(const pysmpi_cluster& cluster) {
  if (cluster.has_backbone == 0) return std::nullopt;
  return LinkSettings{cluster.backbone_bandwidth, cluster.backbone_latency,
                      cluster.backbone_policy == PYSMPI_FATPIPE ? SharingPolicy::kFatpipe : SharingPolicy::kShared};
}

}  // namespace

TopologyRegistration::TopologyRegistration(const char* name, Make make) { registered_topologies()[name] = make; }

std::unique_ptr<Cluster> make_cluster(const pysmpi_cluster& description, Point place, std::uint32_t depth,
                                      std::map<std::string, EarlierClusters>& earlier) {
  const auto topology = registered_topologies().find(description.topology);
  if (topology == registered_topologies().end()) return nullptr;
  EarlierClusters& alike = earlier[topology->first];
  auto cluster =
      topology->second({.name = description.name,
                        .place = place,
                        .depth = depth,
                        .settings = settings_of(description),
                        .backbone = backbone_of(description),
                        .parameters = {description.parameters, static_cast<std::size_t>(description.parameter_count)},
                        .earlier = alike});
  alike.hosts += cluster->host_count();
  alike.cables += cluster->cable_count();
  return cluster;
}

}  // namespace pysmpi
