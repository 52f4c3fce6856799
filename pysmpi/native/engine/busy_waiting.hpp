// Busy waiting: ranks that poll, read a clock or sleep for zero seconds in a loop. Each such call takes time or lets
// other ranks run, so that the awaited event can happen. The engine detects when nothing is under way that could cause
// this event.
#pragma once

namespace pysmpi {

// Number of consecutive calls after which a rank is considered to wait busily. The count starts again when the rank
// computes for long, or waits for something else, between two calls. For kOfLooks, a call is counted only once for 50
// operations on locks (pysmpi/isolation/looks.py).
enum class Patience { kOfLooks = 1'000, kOfPolls = 100'000, kOfClocks = 1'000'000 };

// Spend `seconds` in the running rank, which has polled for something, such as the time or a value that other ranks
// write. The seconds double after every `patience` consecutive calls (smpi/grow-injected-times). With zero seconds, the
// other ranks of this instant run first, and after `patience` calls the rank blocks until the next event. Returns false
// if the rank is being stopped.
bool wait_busily(double seconds, const char* call, Patience patience);

// Counts the running rank as polling while the object exists. A polling rank waits only for the end of its own call. If
// only polling ranks are active, the engine knows that the awaited events cannot happen.
class Poll {
 public:
  Poll();
  ~Poll();
  Poll(const Poll&) = delete;
  Poll& operator=(const Poll&) = delete;
};

// End an unsuccessful poll of the running rank that has cost `cost` seconds. Returns false if the rank is being
// stopped.
bool end_unsuccessful_poll(double cost, const char* call);

}  // namespace pysmpi
