// Execution of collectives' schedules: takes runners, runs schedules and returns the runners.
#pragma once

#include <cstdint>

#include "base/types.hpp"
#include "matching/communicator.hpp"
#include "schedule/runner.hpp"
#include "schedule/schedule.hpp"

namespace pysmpi {

// Take a runner for the running rank's part in collective number `sequence` of the communicator. Return it with
// give_runner after run_blocking.
Runner& take_runner(Communicator& communicator, std::uint32_t sequence);
void give_runner(Runner& runner);

// Run the schedule to its end, with the running rank blocked in the MPI function `call`. Returns the failure of a
// message, or the error kErrorStopped if the rank is being stopped; then the runner no longer belongs to the caller.
Fault run_blocking(Runner& runner, Schedule schedule, const char* call);

// Start the schedule of a native rank. Returns true if it has ended already; otherwise the rank is woken at its end.
bool run_as_rank(Runner& runner, Schedule schedule);

// Start the schedule without waiting. The request completes when the schedule has ended, with the failure of a message
// as its fault. The runner no longer belongs to the caller.
RequestId run_nonblocking(Runner& runner, Schedule schedule, const char* call);

// Return the request of a schedule of this rank in progress, or kNone.
RequestId schedule_under_way(RankId rank);

// Let each waiting schedule record which message it waits for, to be shown in a report of a deadlock or of endless
// polling.
void show_waiting_schedules();

// Stop the schedules of a rank that has ended, because its memory is about to be freed.
void forget_schedules(RankId rank);

// Free all runners at the end of a simulation.
void end_schedules();

}  // namespace pysmpi
