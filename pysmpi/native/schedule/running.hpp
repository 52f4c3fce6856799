// Functions that take a runner for a collective, run its schedule and give the runner back.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "base/simulation_part.hpp"
#include "base/types.hpp"
#include "matching/communicator.hpp"
#include "schedule/runner.hpp"
#include "schedule/schedule.hpp"

namespace pysmpi {

// Take a runner for the running rank's part in the communicator's collective with this sequence number. Give it back
// after run_blocking.
Runner& take_runner(Communicator& communicator, std::uint32_t sequence);
void give_runner(Runner& runner);

// Run the schedule to its end; the running rank blocks in the MPI function `call`. Returns the first fault of a
// message, or the error kErrorStopped when the rank is being stopped (the caller must not use the runner any more
// then).
Fault run_blocking(Runner& runner, Schedule schedule, const char* call);

// Begin the schedule of a rank that has no greenlet. Returns true if the schedule has already ended; otherwise the rank
// is woken at its end.
bool run_as_rank(Runner& runner, Schedule schedule);

// Begin the schedule without waiting for it. The returned request completes when the schedule ends; its fault is the
// first fault of a message. The caller must not use the runner any more.
RequestId run_nonblocking(Runner& runner, Schedule schedule, const char* call);

// Return the request of a schedule of this rank that is under way, or kNone.
RequestId schedule_under_way(RankId rank);

// Record for each waiting schedule the message that it waits for. Called in a deadlock, and when all ranks poll
// unsuccessfully.
void show_waiting_schedules();

// Stop the schedules of a rank that has ended, whose memory is freed now.
void forget_schedules(RankId rank);

// All runners of a simulation, including those of ranks that have been stopped.
struct Runners : SimulationPart<Runners> {
  Runners() = default;
  ~Runners();  // destroys the runners while the members that their schedules use still exist

  std::span<ScheduleDriver* const> all_of(RankId rank) const {
    return static_cast<std::size_t>(rank) < under_way.size() ? under_way[rank] : std::span<ScheduleDriver* const>();
  }

  std::deque<bool> unsuccessful;  // indexed by runner: true while it repeats an unsuccessful poll
  std::vector<std::unique_ptr<Runner>> all;
  std::vector<Runner*> unused;
  // Nonblocking schedules of each rank, in the order in which they began.
  std::vector<std::vector<ScheduleDriver*>> under_way;
  std::uint32_t attributed = kNone;  // number of the schedule in the last schedule_acts event
};

}  // namespace pysmpi
