// Dragonflies in which every router has cables to other groups, as in SST/macro.
#pragma once

#include <cstdint>
#include <memory>

#include "platform/make_cluster.hpp"

namespace pysmpi {

struct GlobalDragonflyShape {
  std::uint32_t groups;
  std::uint32_t columns;        // routers of a group along y (chassis)
  std::uint32_t column_cables;  // cables bundled into a link along y
  std::uint32_t rows;           // routers of a group along x (blades)
  std::uint32_t row_cables;     // cables bundled into a link along x
  std::uint32_t hosts;          // hosts of each router
  std::uint32_t global;         // links of each router to other groups
  std::uint32_t bundled;        // cables bundled into each of these links
};

std::unique_ptr<Cluster> make_global_dragonfly(ClusterPlan plan, const GlobalDragonflyShape& shape);

}  // namespace pysmpi
