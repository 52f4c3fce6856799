// Native ranks that run schedules written by a program (pysmpi.Schedule), one for each rank.
#pragma once

#include <memory>
#include <vector>

#include "replay/rank.hpp"
#include "schedule/c_api.h"

namespace pysmpi {

// Make the ranks' program from one schedule per rank. Peers are ranks of MPI_COMM_WORLD, and messages without a buffer
// carry no data.
std::unique_ptr<NativeProgram> program_of(std::vector<pysmpi_schedule> schedules);

}  // namespace pysmpi
