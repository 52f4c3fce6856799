#include "value_flow/graph.hpp"

#include <algorithm>
#include <cstddef>

namespace pysmpi {

namespace {

// Returns where the edges of each value begin if they are sorted by their ends `by`.
std::vector<std::int64_t> begins(std::size_t values, std::span<const std::int32_t> by) {
  std::vector<std::int64_t> begin(values + 1, 0);
  for (const std::int32_t value : by) ++begin[static_cast<std::size_t>(value) + 1];
  for (std::size_t value = 0; value < values; ++value) begin[value + 1] += begin[value];
  return begin;
}

// Returns what `of` gives for each edge, sorted by the edges' ends `by`, and otherwise in the order of the edges.
template <typename T, typename Of>
std::vector<T> sorted(std::span<const std::int32_t> by, const std::vector<std::int64_t>& begin, Of of) {
  std::vector<T> found(by.size());
  std::vector<std::int64_t> next(begin.begin(), begin.end() - 1);
  for (std::size_t edge = 0; edge < by.size(); ++edge) found[static_cast<std::size_t>(next[by[edge]]++)] = of(edge);
  return found;
}

}  // namespace

ValueGraph::ValueGraph(const Arrays& arrays)
    : kind_(arrays.kind.begin(), arrays.kind.end()),
      event_(arrays.event.begin(), arrays.event.end()),
      reader_begin_(begins(kind_.size(), arrays.source)),
      source_begin_(begins(kind_.size(), arrays.sink)),
      readers_(sorted<EdgeEnd>(arrays.source, reader_begin_,
                               [&](std::size_t edge) { return EdgeEnd{arrays.sink[edge], arrays.at[edge]}; })),
      sources_(
          sorted<std::int32_t>(arrays.sink, source_begin_, [&](std::size_t edge) { return arrays.source[edge]; })) {
  for (std::size_t i = 0; i < arrays.steering_value.size(); ++i) {
    steering_.push_back({arrays.steering_value[i], arrays.steered_at[i]});
  }
  std::stable_sort(steering_.begin(), steering_.end(),
                   [](const EdgeEnd& a, const EdgeEnd& b) { return a.value < b.value; });
}

}  // namespace pysmpi
