// The private state of ranks in the interpreter during one simulation.
#pragma once

#include <memory>

#include "base/simulation_part.hpp"

namespace pysmpi {

struct IsolationState;

struct Isolation : SimulationPart<Isolation> {
  Isolation();
  ~Isolation();

  std::unique_ptr<IsolationState> state;
};

}  // namespace pysmpi
