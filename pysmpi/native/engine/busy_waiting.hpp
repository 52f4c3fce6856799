// Busy waiting: ranks that poll, read a clock or sleep for zero seconds in a loop. Each such call takes time or lets
// other ranks run, so that the awaited event can happen. The engine detects when nothing is under way that could cause
// this event.
#pragma once

#include <cstdint>

namespace pysmpi {

// Number of consecutive polls after which a rank counts as waiting busily: kOfLooks for threads that read a lock or
// another shared state, kOfTimedPolls for calls such as MPI_Test if they take time, kOfPolls if they take none,
// kOfClocks for MPI_Wtime. The count starts again when, between two polls, the rank computes for more than 10 ms or
// waits for something else. A thread that operates on locks reports the 1000th operation in a row, and after it every
// 50th, as a poll (pysmpi/simulation/isolation/looks.py).
enum class Patience { kOfLooks = 1'000, kOfTimedPolls = 10'000, kOfPolls = 100'000, kOfClocks = 1'000'000 };

// Spend `seconds` in the running rank, which has polled for something, such as the time or a value that other ranks
// write. The seconds double after every `patience` consecutive calls. With zero seconds, the
// other ranks of this instant run first, and after `patience` calls the rank blocks until the next event. Returns false
// if the rank is being stopped.
bool wait_busily(double seconds, const char* call, Patience patience);

// While an object of this class exists, the running rank spends the simulated time of a poll. The engine counts such
// polls apart from other activities, because no rank can be waiting for them: if all pending activities are polls, the
// awaited events can never happen.
class Poll {
 public:
  Poll();
  ~Poll();
  Poll(const Poll&) = delete;
  Poll& operator=(const Poll&) = delete;
};

// Return the factor by which a poll after `unsuccessful` consecutive unsuccessful polls takes longer than a first one.
// It doubles after every Patience::kOfTimedPolls of them, so a rank notices an event at most 0.01 % of its waiting time
// too late. The factor is always 1 if the durations of polls follow SMPI, which means that
// Options::polls_are_independent() is false.
double lengthening_after(std::uint64_t unsuccessful);

// Return the factor of lengthening_after() for the next poll of the running rank. If computation is measured, the poll
// takes at least 1 % of the time that the rank has waited: each poll then costs real time, too, and its measured time
// is less certain than that. `cost` is the time of a first poll in seconds.
double lengthening_of_poll(double cost);

// End an unsuccessful poll of the running rank, which has made `before` unsuccessful polls just before. The poll has
// already taken `cost` seconds of simulated time; if the cost is zero, other ranks run first. Returns false if the rank
// is being stopped.
bool end_unsuccessful_poll(double cost, std::uint64_t before, const char* call);

}  // namespace pysmpi
