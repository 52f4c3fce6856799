// Replay of time-independent traces. Each action does what SMPI does for it (SimGrid 3.32,
// src/smpi/internals/smpi_replay.cpp): the same MPI call, with data whose contents do not matter.
#pragma once

#include <memory>
#include <vector>

#include "replay/rank.hpp"
#include "replay/trace.hpp"

namespace pysmpi {

// Make the ranks' program from the traces, indexed by rank.
std::unique_ptr<NativeProgram> replay_of(std::vector<RankTrace> traces);

}  // namespace pysmpi
