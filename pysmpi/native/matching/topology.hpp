// Virtual topologies: which ranks of a communicator are neighbours. MPI 4.1, chapter 8. Made in Python
// (pysmpi/mpi/topology.py); neighbourhood collectives and queries read them here.
#pragma once

#include <cstdint>
#include <vector>

namespace pysmpi {

enum class TopologyKind : std::uint8_t { kGraph = 1, kCartesian = 2, kDistributedGraph = 3 };  // as MPI_Topo_test says

// A rank's edges in a distributed graph. Weights are given for all ranks' edges or for none.
struct Adjacency {
  std::vector<std::int32_t> sources, source_weights, destinations, destination_weights;
  bool weighted = false;
};

struct Topology {
  TopologyKind kind = TopologyKind::kCartesian;
  std::vector<std::int32_t> extents;  // Cartesian: ranks in each dimension, the last of which is contiguous
  std::vector<bool> periodic;
  std::vector<std::int32_t> ends,
      edges;                           // graph: the neighbours of node i are edges[ends[i - 1]] to edges[ends[i] - 1]
  std::vector<Adjacency> adjacencies;  // distributed graph: by rank

  // Cartesian. A place outside a dimension that is not periodic has no rank: MPI_PROC_NULL (-1).
  std::vector<std::int32_t> coordinates(std::int32_t rank) const;
  std::int32_t rank_at(const std::vector<std::int32_t>& coordinates) const;
  std::int32_t shifted(std::int32_t rank, std::int32_t dimension, std::int64_t distance) const;

  // Whom the rank receives from and sends to in neighbourhood collectives, in the order of their buffers' blocks (MPI
  // 4.1, section 8.6). Of a Cartesian topology: in each dimension the one before, then the one behind, MPI_PROC_NULL
  // where there is none.
  void neighbours(std::int32_t rank, std::vector<std::int32_t>& sources, std::vector<std::int32_t>& destinations) const;
};

}  // namespace pysmpi
