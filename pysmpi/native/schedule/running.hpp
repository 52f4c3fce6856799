// Takes runners for collectives, runs their schedules and gives them back.
#pragma once

#include <cstdint>

#include "base/types.hpp"
#include "matching/communicator.hpp"
#include "schedule/runner.hpp"
#include "schedule/schedule.hpp"

namespace pysmpi {

// A runner for the running rank's part in the collective of this number on the communicator. Give it back after
// run_blocking.
Runner& take_runner(Communicator& communicator, std::uint32_t sequence);
void give_runner(Runner& runner);

// Runs the schedule to its end with the running rank blocked in the MPI function `call`. Returns what a message met,
// or the error kErrorStopped when the rank is being stopped (the runner is then no longer the caller's).
Fault run_blocking(Runner& runner, Schedule schedule, const char* call);

// Begins the schedule that is all that the running rank does, which is no greenlet; true when it has ended already.
// Else the rank is woken at its end.
bool run_as_rank(Runner& runner, Schedule schedule);

// As run_blocking, without waiting: the request is complete when the schedule has ended, with what a message met as its
// fault. The runner is no longer the caller's.
RequestId run_nonblocking(Runner& runner, Schedule schedule, const char* call);

// A request whose schedule of this rank is under way; kNone when there is none.
RequestId schedule_under_way(RankId rank);

// There is a deadlock, or all that happens is polls in vain: each schedule that waits shows for which message.
void show_waiting_schedules();

// The rank has ended, and its memory goes: its schedules stop where they are.
void forget_schedules(RankId rank);

// Frees the runners of stopped ranks. When a simulation ends.
void end_schedules();

}  // namespace pysmpi
