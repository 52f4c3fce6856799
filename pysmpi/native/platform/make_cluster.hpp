// Clusters as platform/c_api.h describes them.
#pragma once

#include <memory>

#include "platform/c_api.h"
#include "platform/cluster.hpp"

namespace pysmpi {

// SimGrid numbers the hosts and cables of all fat trees, and the cables of all dragonflies, in one row.
struct EarlierClusters {
  std::uint32_t fat_tree_hosts = 0;
  std::uint32_t fat_tree_cables = 0;
  std::uint32_t dragonfly_cables = 0;
};

// The cluster is counted among the earlier ones.
std::unique_ptr<Cluster> make_cluster(const pysmpi_cluster& description, Point place, std::uint32_t depth,
                                      EarlierClusters& earlier);

}  // namespace pysmpi
