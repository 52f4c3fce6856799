#include "platform/make_cluster.hpp"

#include <span>

#include "platform/topologies/dragonfly.hpp"
#include "platform/topologies/dragonfly_plus.hpp"
#include "platform/topologies/fat_tree.hpp"
#include "platform/topologies/flat_cluster.hpp"
#include "platform/topologies/full_mesh.hpp"
#include "platform/topologies/hypercube.hpp"
#include "platform/topologies/hyperx.hpp"
#include "platform/topologies/slim_fly.hpp"
#include "platform/topologies/torus.hpp"

namespace pysmpi {
namespace {

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

std::unique_ptr<Cluster> make_fat_tree(const pysmpi_cluster& description, Point place, std::uint32_t depth,
                                       EarlierClusters& earlier) {
  const auto levels = static_cast<std::size_t>(description.parameter_count) / 3;
  const std::uint32_t* values = description.parameters;
  std::vector<FatTreeLevel> shape;
  for (std::size_t level = 0; level < levels; ++level) {
    shape.push_back({values[level], values[levels + level], values[2 * levels + level]});
  }
  auto cluster = std::make_unique<FatTree>(description.name, place, depth, settings_of(description), shape,
                                           earlier.fat_tree_hosts, earlier.fat_tree_cables);
  earlier.fat_tree_hosts += cluster->host_count();
  earlier.fat_tree_cables += cluster->cable_count();
  return cluster;
}

std::unique_ptr<Cluster> make_dragonfly(const pysmpi_cluster& description, Point place, std::uint32_t depth,
                                        EarlierClusters& earlier) {
  const std::uint32_t* values = description.parameters;
  const DragonflyShape shape{{values[0], values[1]}, {values[2], values[3]}, {values[4], values[5]}, values[6]};
  auto cluster = std::make_unique<Dragonfly>(description.name, place, depth, settings_of(description), shape,
                                             earlier.dragonfly_cables);
  earlier.dragonfly_cables += cluster->cable_count();
  return cluster;
}

std::unique_ptr<Cluster> make_hyperx(const pysmpi_cluster& description, Point place, std::uint32_t depth) {
  const auto count = static_cast<std::size_t>(description.parameter_count) / 2;
  const std::uint32_t* values = description.parameters;
  std::vector<HyperXDimension> dimensions;
  for (std::size_t i = 0; i < count; ++i) dimensions.push_back({values[i], values[count + i]});
  return std::make_unique<HyperX>(description.name, place, depth, settings_of(description), dimensions,
                                  values[2 * count]);
}

}  // namespace

std::unique_ptr<Cluster> make_cluster(const pysmpi_cluster& description, Point place, std::uint32_t depth,
                                      EarlierClusters& earlier) {
  const char* name = description.name;
  const std::span values(description.parameters, static_cast<std::size_t>(description.parameter_count));
  switch (description.topology) {
    case PYSMPI_FAT_TREE:
      return make_fat_tree(description, place, depth, earlier);
    case PYSMPI_TORUS:
      return std::make_unique<Torus>(name, place, depth, settings_of(description), values);
    case PYSMPI_DRAGONFLY:
      return make_dragonfly(description, place, depth, earlier);
    case PYSMPI_DRAGONFLY_PLUS:
      return std::make_unique<DragonflyPlus>(name, place, depth, settings_of(description),
                                             DragonflyPlusShape{values[0], values[1], values[2], values[3], values[4]});
    case PYSMPI_HYPERX:
      return make_hyperx(description, place, depth);
    case PYSMPI_SLIM_FLY:
      return std::make_unique<SlimFly>(name, place, depth, settings_of(description), values[0], values[1]);
    case PYSMPI_HYPERCUBE:
      return std::make_unique<Hypercube>(name, place, depth, settings_of(description), values[0]);
    case PYSMPI_FULL_MESH:
      return std::make_unique<FullMesh>(name, place, depth, settings_of(description));
    default:
      return std::make_unique<FlatCluster>(name, place, depth, settings_of(description), backbone_of(description));
  }
}

}  // namespace pysmpi
