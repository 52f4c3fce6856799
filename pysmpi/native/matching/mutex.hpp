// Mutexes of SMPI, which ranks lock for some calls of an instant or while they wait.
//
// SMPI protects the mailboxes of a rank (SimGrid 3.32, Request::start) and the lists of a window's member by mutexes.
// Here they only determine the order of calls. Ranks that wait for a mutex get it in the order of their calls, and the
// rank that gets it continues just before the rank that unlocked it:
//
//     ranks 0, 1 and 2 put to rank 3 in one instant: rank 0 locks the mailboxes first, the others wait
//     rank 0 unlocks them:    rank 1 makes the next call before rank 0
//     rank 1 unlocks them:    rank 2 makes the next call before ranks 1 and 0
#pragma once

#include <vector>

#include "base/types.hpp"
#include "engine/fiber.hpp"
#include "engine/steps.hpp"

namespace pysmpi {

class Mutex {
 public:
  // Lock the mutex for the running rank, after the earlier calls of other ranks. Returns false if the rank is being
  // stopped; the mutex is then not locked.
  bool lock(const BlockedOn& on);

  // Unlock the mutex, after the earlier calls of other ranks. The rank that has waited longest gets it.
  void unlock(const char* call);

  // Lock or unlock in a coroutine (engine/steps.hpp), which awaits the result.
  Steps<bool> locking(BlockedOn on);
  Steps<bool> unlocking(const char* call);  // the result is always true

 private:
  // The turn of the running rank, which comes after the earlier calls of other ranks.
  static Blocked turn(const char* call);
  Blocked take(const BlockedOn& on);
  void give();  // gives the mutex to the rank that has waited longest

  RankId holder_ = -1;           // world rank; -1: unlocked
  std::vector<Fiber*> waiting_;  // fibers that wait for the mutex, in the order of their calls
};

// Keeps a mutex locked while the object exists. Has no effect if no rank is running.
class Locked {
 public:
  Locked(Mutex& mutex, const BlockedOn& on);
  ~Locked();
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  bool stopped() const { return !held_; }  // the rank is being stopped, and the mutex is not locked

 private:
  Mutex& mutex_;
  const char* const call_;
  const bool held_;
};

}  // namespace pysmpi
