// Schedules that a program has written (pysmpi.Schedule), one for each rank, run by native ranks.
#pragma once

#include <memory>
#include <vector>

#include "replay/rank.hpp"
#include "schedule/c_api.h"

namespace pysmpi {

// Peers are ranks of the world. Messages without a buffer carry no data; schedules have no sizes.
std::unique_ptr<NativeProgram> program_of(std::vector<pysmpi_schedule> schedules);

}  // namespace pysmpi
