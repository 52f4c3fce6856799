// Registry of topologies: each source file of platform/topologies registers how to make a cluster.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "platform/c_api.h"
#include "platform/cluster.hpp"

namespace pysmpi {

// Numbers of hosts and cables in the earlier clusters of the same topology. As in SimGrid, these are added to the
// numbers in some link names, and to host numbers in D-mod-K.
struct EarlierClusters {
  std::uint32_t hosts = 0;
  std::uint32_t cables = 0;
};

// Everything that a topology needs to make a cluster.
struct ClusterPlan {
  std::string name;
  Point place;
  std::uint32_t depth;
  ClusterSettings settings;
  std::optional<LinkSettings> backbone;
  // Parameters of the topology, which Python has checked. Each source file in topologies/ documents its parameters.
  std::span<const std::uint32_t> parameters;
  EarlierClusters earlier;
};

// A constant of this type in a topology's source file registers the topology when the library is loaded.
class TopologyRegistration {
 public:
  using Make = std::unique_ptr<Cluster> (*)(ClusterPlan plan);

  // `name` is the value of the attribute `topology` in platform files.
  TopologyRegistration(const char* name, Make make);
};

// Makes the cluster, and adds its hosts and cables to `earlier` (indexed by topology). Returns null if no topology has
// registered the name.
std::unique_ptr<Cluster> make_cluster(const pysmpi_cluster& description, Point place, std::uint32_t depth,
                                      std::map<std::string, EarlierClusters>& earlier);

}  // namespace pysmpi
