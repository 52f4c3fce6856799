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
  std::uint32_t number = 0;  // of the count, from 1; 0: nothing is counted
  std::vector<Held> by_rank;

  void hold(RankId rank, std::int64_t bytes);
};

// Returns whether the rank pays for the data of this array, which distances forget when it is freed.
bool pays_for(RankId rank, const numpy::Array& array);

}  // namespace pysmpi
