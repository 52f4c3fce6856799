// The schedule that a program writes itself (pysmpi.Schedule), step by step.
#pragma once

#include <cstdint>
#include <span>

#include "schedule/c_api.h"
#include "schedule/runner.hpp"

namespace pysmpi {

// The first step of more bytes than its buffer holds, of fewer than none, or of endless seconds; the number of steps
// when there is none. What is wrong with the amount of such a step.
std::int64_t first_unfit(const pysmpi_schedule& schedule, const double* sizes);
const char* describe_unfit(const pysmpi_step& step);

// The rank goes through the schedules one after the other. `sizes` has those of each. `communicators`: of each; none
// when no other thread can free one meanwhile.
Schedule run_schedules(Runner& run, std::span<const pysmpi_schedule* const> schedules, const double* sizes, RankId rank,
                       std::span<Communicator* const> communicators = {});

void end_computations();  // when a simulation ends: those of ranks that were stopped

// What its messages have met, for people.
std::string describe_for_program(const Fault& fault);

}  // namespace pysmpi
