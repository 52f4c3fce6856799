// Owners of vertices that have none: the node that owns most of their neighbours.
//
// A vertex is a thing with one owner, such as an element of an array. Edges lead from the vertices that are read to
// those that are computed from them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "value_flow/edges.hpp"

namespace pysmpi {

class VertexGraph {
 public:
  // Each pair of a source and a sink occurs once, ordered by source, then sink.
  VertexGraph(std::int32_t vertices, std::span<const std::int32_t> source, std::span<const std::int32_t> sink);

  std::int32_t vertices() const { return static_cast<std::int32_t>(sinks_.size()); }
  std::span<const std::int32_t> sinks(std::int32_t vertex) const { return sinks_[vertex]; }
  std::span<const std::int32_t> sources(std::int32_t vertex) const { return sources_[vertex]; }

 private:
  Grouped<std::int32_t> sinks_, sources_;
};

// Gives an owner to each vertex v with `owner[v]` = -1: in rounds, each vertex beside one that had an owner when the
// round began takes the node with most votes, the lowest one of several. A vertex follows the vertices that are
// computed from it, each with one vote. If `by_sources[v]` is 1, it follows those that it is computed from, each with
// one vote divided by the number of its readers: the cost of sending it. Vertices that cannot do so follow the other
// ones; without any neighbour they belong to node 0.
void own_like_neighbours(const VertexGraph& graph, std::int32_t nodes, std::span<const std::uint8_t> by_sources,
                         std::span<std::int32_t> owner);

}  // namespace pysmpi
