// For each vertex of a graph, a list of its edges, given by their other ends. The lists are stored one after the other
// in a flat array. There are fewer than 2^32 edges, because these would take 48 GB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pysmpi {

template <typename T>
class Grouped {
 public:
  // For each edge, appends of(edge) to the list of the vertex by[edge], in the order of the edges. `size` is the number
  // of vertices.
  template <typename Of>
  Grouped(std::size_t size, std::span<const std::int32_t> by, Of of) : begin_(size + 1), items_(by.size()) {
    for (const std::int32_t number : by) ++begin_[static_cast<std::size_t>(number) + 1];
    for (std::size_t number = 0; number < size; ++number) begin_[number + 1] += begin_[number];
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t edge = 0; edge < by.size(); ++edge) {
      items_[next[static_cast<std::size_t>(by[edge])]++] = of(edge);
    }
  }

  std::size_t size() const { return begin_.size() - 1; }
  std::span<const T> operator[](std::int32_t number) const {
    const std::uint32_t begin = begin_[static_cast<std::size_t>(number)];
    return {items_.data() + begin, begin_[static_cast<std::size_t>(number) + 1] - begin};
  }

 private:
  std::vector<std::uint32_t> begin_;
  std::vector<T> items_;
};

}  // namespace pysmpi
