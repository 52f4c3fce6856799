#include "value_flow/graph.hpp"

#include <algorithm>
#include <cstddef>

namespace pysmpi {

ValueGraph::ValueGraph(const Arrays& arrays)
    : kind_(arrays.kind.begin(), arrays.kind.end()),
      words_(arrays.words.begin(), arrays.words.end()),
      times_(arrays.times.begin(), arrays.times.end()),
      event_(arrays.event.begin(), arrays.event.end()),
      same_before_(arrays.same_before.begin(), arrays.same_before.end()),
      readers_(kind_.size(), arrays.source,
               [&](std::size_t edge) { return EdgeEnd{arrays.sink[edge], arrays.at[edge]}; }),
      sources_(kind_.size(), arrays.sink, [&](std::size_t edge) { return arrays.source[edge]; }) {
  for (std::int32_t value = 0; value < values(); ++value) {
    const auto from = sources(value);
    const bool met = std::any_of(from.begin(), from.end(), [&](std::int32_t source) { return is_meeting(source); });
    if (computed(value) && !met && !is_sum(value) && !is_meeting(value)) kind_[value] |= kElementwise;
  }
  for (std::size_t i = 0; i < arrays.steering_value.size(); ++i) {
    steering_.push_back({arrays.steering_value[i], arrays.steered_at[i]});
  }
  std::stable_sort(steering_.begin(), steering_.end(),
                   [](const EdgeEnd& a, const EdgeEnd& b) { return a.value < b.value; });
}

}  // namespace pysmpi
