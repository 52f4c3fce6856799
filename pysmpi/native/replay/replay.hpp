// The replay of time-independent traces: each action is what SMPI makes of it (SimGrid 3.32,
// src/smpi/internals/smpi_replay.cpp), the same MPI call with data that do not matter.
#pragma once

#include <memory>
#include <vector>

#include "replay/rank.hpp"
#include "replay/trace.hpp"

namespace pysmpi {

std::unique_ptr<NativeProgram> replay_of(std::vector<RankTrace> traces);

}  // namespace pysmpi
