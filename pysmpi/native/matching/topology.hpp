// Virtual topologies (MPI 4.1, chapter 8): which ranks of a communicator are neighbours. Python creates them
// (pysmpi/simulation/mpi/virtual_topologies.py); neighbourhood collectives and queries read them here.
#pragma once

#include <cstdint>
#include <vector>

namespace pysmpi {

// Values of MPI_Topo_test.
enum class TopologyKind : std::uint8_t { kGraph = 1, kCartesian = 2, kDistributedGraph = 3 };

// Edges of a rank in a distributed graph. Either all ranks give weights or no rank does.
struct Adjacency {
  std::vector<std::int32_t> sources, source_weights, destinations, destination_weights;
  bool weighted = false;
};

struct Topology {
  TopologyKind kind = TopologyKind::kCartesian;
  std::vector<std::int32_t> extents;  // Cartesian: ranks in each dimension; the last dimension is contiguous
  std::vector<bool> periodic;
  std::vector<std::int32_t> ends,
      edges;                           // graph: the neighbours of node i are edges[ends[i - 1]] to edges[ends[i] - 1]
  std::vector<Adjacency> adjacencies;  // distributed graph: indexed by rank

  // Conversions between ranks and coordinates in Cartesian topologies. For coordinates outside a dimension that is not
  // periodic, the rank is MPI_PROC_NULL (-1).
  std::vector<std::int32_t> coordinates(std::int32_t rank) const;
  std::int32_t rank_at(const std::vector<std::int32_t>& coordinates) const;
  std::int32_t shifted(std::int32_t rank, std::int32_t dimension, std::int64_t distance) const;

  // Return the ranks that a rank receives from and sends to in neighbourhood collectives, in the order of the blocks in
  // its buffers (MPI 4.1, section 8.6). In a Cartesian topology these are, for each dimension, the previous and the
  // next rank, or MPI_PROC_NULL at the border.
  void neighbours(std::int32_t rank, std::vector<std::int32_t>& sources, std::vector<std::int32_t>& destinations) const;
};

}  // namespace pysmpi
