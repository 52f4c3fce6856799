// A GOAL program on a platform: its messages go through the engine as those of MPI_Isend and MPI_Irecv do.
#pragma once

#include <memory>

#include "replay/goal.hpp"
#include "replay/rank.hpp"

namespace pysmpi {

// The program has to outlive what is made of it.
std::unique_ptr<NativeProgram> graph_of(const GoalProgram& program);

}  // namespace pysmpi
