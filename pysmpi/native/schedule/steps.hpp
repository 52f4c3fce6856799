// Schedules that a program writes itself, step by step (pysmpi.Schedule).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "schedule/c_api.h"
#include "schedule/runner.hpp"

namespace pysmpi {

// Return the index of the first step with an invalid amount (negative, more bytes than its buffer has, or infinite
// seconds), or the number of steps if all are valid. describe_unfit describes the problem of such a step.
std::int64_t first_unfit(const pysmpi_schedule& schedule, const double* sizes);
const char* describe_unfit(const pysmpi_step& step);

// Execute the schedules one after the other. `sizes` contains the numbers by which amounts of steps are multiplied:
// those of the first schedule, then those of the second, and so on. `communicators` has one communicator for each
// schedule, or is empty if no other thread can free a communicator meanwhile.
Schedule run_schedules(Runner& run, std::span<const pysmpi_schedule* const> schedules, const double* sizes, RankId rank,
                       std::span<Communicator* const> communicators = {});

// Describe the failure of a message for error texts.
std::string describe_for_program(const Fault& fault);

class Computation;

// Computations that schedules have begun.
struct Computations : SimulationPart<Computations> {
  Computations();
  ~Computations();

  std::vector<std::unique_ptr<Computation>> all;
  std::vector<Computation*> unused;
};

}  // namespace pysmpi
