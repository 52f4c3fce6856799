// States of the other threads of this process: those that libraries have started, which can end waits of ranks.
#pragma once

namespace pysmpi {

enum class OtherThreads {
  kRunning,   // one runs, or is ready to run
  kSleeping,  // none runs, but one waits for a time or for the operating system, and may then run by itself
  kIdle,      // likewise, but these threads are older than the simulation, so that hardly a rank waits for them
  kDormant,   // each waits until another thread of this process wakes it
};

// Look at all threads but the calling one and those that hide_this_thread has named. Takes some 10 µs a thread.
OtherThreads look_at_other_threads();

void note_older_threads();  // to be called when a simulation begins

// Leave the calling thread, which is one of this simulator's, out of account, or end this before the thread ends.
void hide_this_thread(bool hidden);

}  // namespace pysmpi
