// Memory that each rank holds: array data of NumPy, folded arrays at their full size, and windows.
#pragma once

#include <cstdint>
#include <vector>

#include "base/simulation_part.hpp"
#include "base/types.hpp"
#include "counting/numpy_objects.hpp"

namespace pysmpi {

struct MemoryCounts : SimulationPart<MemoryCounts> {
  MemoryCounts() = default;

  struct Held {
    std::int64_t now = 0, peak = 0;  // bytes
  };
  std::uint32_t number = 0;  // number of the present count of memory, from 1; 0 if memory is not counted
  std::vector<Held> by_rank;

  void hold(RankId rank, std::int64_t bytes);
};

// Returns whether the counting allocator has allocated this array's data for the rank in the present count.
// DistanceCounts then forgets the array when the data are freed.
bool pays_for(RankId rank, const numpy::Array& array);

}  // namespace pysmpi
