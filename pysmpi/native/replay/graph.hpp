// A GOAL program that runs on a platform. Its messages go through the engine like messages of MPI_Isend and MPI_Irecv.
#pragma once

#include <memory>
#include <vector>

#include "replay/goal.hpp"
#include "replay/goal_waits.hpp"
#include "replay/rank.hpp"

namespace pysmpi {

// Make the ranks' program from a GOAL program. The GOAL program must outlive the result.
std::unique_ptr<NativeProgram> graph_of(const GoalProgram& program);

// Return the operations of a program made by graph_of that wait for ever. Call it in a deadlock.
std::vector<GoalWait> waits_of(const NativeProgram& graph);

}  // namespace pysmpi
