// The schedule that a program writes itself (pysmpi.Schedule), step by step.
#pragma once

#include <cstdint>
#include <span>

#include "schedule/control.h"
#include "schedule/runner.hpp"

namespace pysmpi {

// The first step of more bytes than its buffer holds, or of fewer than none; the number of steps when there is none.
std::int64_t first_unfit(const pysmpi_schedule& schedule, const double* sizes);

// The rank goes through the schedules one after the other. `sizes` has those of each.
Schedule run_schedules(Runner& run, std::span<const pysmpi_schedule* const> schedules, const double* sizes,
                       RankId rank);

// What its messages have met, for people.
std::string describe_for_program(const Fault& fault);

}  // namespace pysmpi
