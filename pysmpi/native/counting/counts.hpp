// Counts of what each rank computes.
#pragma once

#include <vector>

#include "base/simulation_part.hpp"
#include "counting/c_api.h"

namespace pysmpi {

struct ComputationCounts : SimulationPart<ComputationCounts> {
  ComputationCounts() = default;

  bool on = false;      // operations are counted
  bool paused = false;  // those of NumPy are not, for the moment
  std::vector<pysmpi_counts> by_rank;

  // The counts of the running rank, or null if its operations are not counted now.
  pysmpi_counts* of_running_rank();
};

}  // namespace pysmpi
