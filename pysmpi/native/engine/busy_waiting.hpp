// Ranks that wait busily: they poll, read a clock, flush nothing or sleep for no time, again and again. Time passes in
// them, so that what they wait for can come; and where nothing is under way that could bring it, the engine notices.
#pragma once

namespace pysmpi {

// So many calls in a row, with nothing in between that takes time, are taken for a wait.
enum class Patience { kOfPolls = 100'000, kOfClocks = 1'000'000 };

// The running rank has looked for something, such as the time, or at what others write to its memory: so many seconds
// pass. Once it is taken to wait, they double as often as so many calls more have been made (smpi/grow-injected-times).
// Where none pass, the others of this instant go on first, and once it is taken to wait, it does so until something
// happens. False when the rank is being stopped.
bool wait_busily(double seconds, const char* call, Patience patience);

// The running rank is in a call that polls, and waits for no event but the end of the time that the call takes.
class Poll {
 public:
  Poll();
  ~Poll();
  Poll(const Poll&) = delete;
  Poll& operator=(const Poll&) = delete;
};

// What the running rank has polled for, at a cost of so many seconds, is not there. False when the rank is being
// stopped.
bool end_vain_poll(double cost, const char* call);

}  // namespace pysmpi
