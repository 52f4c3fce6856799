// The memory into which each rank has last received data. A message from this memory passes on data that its sender has
// just written, and that another core therefore has to fetch from the sender's cache (NodeGroup::forwarding).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace pysmpi {

class ReceivedMemory {
 public:
  // Record that the rank receives bytes. A piece beside the memory received before, such as the next segment of an
  // array, extends it; any other piece replaces it.
  void add(RankId rank, const void* begin, std::int64_t bytes) {
    if (bytes <= 0) return;
    if (static_cast<std::size_t>(rank) >= latest_.size()) latest_.resize(rank + 1);
    const auto first = reinterpret_cast<std::uintptr_t>(begin);
    const std::uintptr_t last = first + static_cast<std::uintptr_t>(bytes);
    Range& range = latest_[rank];
    const bool touches = first <= range.end && range.begin <= last;
    range = touches ? Range{std::min(first, range.begin), std::max(last, range.end)} : Range{first, last};
  }

  // Return whether the memory that the rank has received contains these bytes.
  bool contains(RankId rank, const void* begin, std::int64_t bytes) const {
    if (bytes <= 0 || static_cast<std::size_t>(rank) >= latest_.size()) return false;
    const auto first = reinterpret_cast<std::uintptr_t>(begin);
    return latest_[rank].begin <= first && first + static_cast<std::uintptr_t>(bytes) <= latest_[rank].end;
  }

 private:
  struct Range {
    std::uintptr_t begin = 0, end = 0;
  };
  std::vector<Range> latest_;  // indexed by rank
};

}  // namespace pysmpi
