// Choice of owners for vertices that have none: a vertex goes to the node that owns most of its neighbours. A vertex
// has one owner; it can be an element of an array. Edges lead from the vertices that are read to the vertices that are
// computed from them.
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

// Gives an owner to each vertex v with `owner[v]` = -1, in rounds. In a round, each vertex beside vertices with owners
// goes to the node with most votes, or to the lowest of several. The voters are the vertices that are computed from it,
// with one vote each. If `by_sources[v]` is 1, they are the vertices from which it is computed; the vote of each is
// divided by the number of its readers, because that is the cost of sending it. When no vertex gets an owner in this
// way, the remaining ones may follow their other neighbours. Vertices that are connected to no owner go to node 0.
void own_like_neighbours(const VertexGraph& graph, std::int32_t nodes, std::span<const std::uint8_t> by_sources,
                         std::span<std::int32_t> owner);

}  // namespace pysmpi
