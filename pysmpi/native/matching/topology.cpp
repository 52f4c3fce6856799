// Coordinates and neighbours in virtual topologies.
#include "matching/topology.hpp"

#include "matching/point_to_point.hpp"

namespace pysmpi {

std::vector<std::int32_t> Topology::coordinates(std::int32_t rank) const {
  std::vector<std::int32_t> found(extents.size());
  for (std::size_t i = extents.size(); i-- > 0;) {
    found[i] = rank % extents[i];
    rank /= extents[i];
  }
  return found;
}

std::int32_t Topology::rank_at(const std::vector<std::int32_t>& coordinates) const {
  std::int32_t rank = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    std::int32_t place = coordinates[i];
    if (periodic[i]) place = (place % extents[i] + extents[i]) % extents[i];
    if (place < 0 || place >= extents[i]) return kProcNull;
    rank = rank * extents[i] + place;
  }
  return rank;
}

std::int32_t Topology::shifted(std::int32_t rank, std::int32_t dimension, std::int64_t distance) const {
  std::vector<std::int32_t> place = coordinates(rank);
  const std::int64_t extent = extents[dimension];
  std::int64_t there = place[dimension] + distance;
  if (periodic[dimension]) there = (there % extent + extent) % extent;
  if (there < 0 || there >= extent) return kProcNull;
  place[dimension] = static_cast<std::int32_t>(there);
  return rank_at(place);
}

void Topology::neighbours(std::int32_t rank, std::vector<std::int32_t>& sources,
                          std::vector<std::int32_t>& destinations) const {
  switch (kind) {
    case TopologyKind::kCartesian:
      sources.clear();
      for (std::int32_t i = 0; i < static_cast<std::int32_t>(extents.size()); ++i) {
        sources.push_back(shifted(rank, i, -1));
        sources.push_back(shifted(rank, i, 1));
      }
      destinations = sources;
      break;
    case TopologyKind::kGraph:
      sources.assign(edges.begin() + (rank > 0 ? ends[rank - 1] : 0), edges.begin() + ends[rank]);
      destinations = sources;
      break;
    case TopologyKind::kDistributedGraph:
      sources = adjacencies[rank].sources;
      destinations = adjacencies[rank].destinations;
      break;
  }
}

}  // namespace pysmpi
