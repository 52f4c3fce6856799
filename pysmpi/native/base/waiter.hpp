// Base class of objects that wait for requests, timers or computations: a fiber inside a blocking MPI call, or a
// running schedule.
#pragma once

#include <compare>
#include <cstdint>

namespace pysmpi {

// Position of a call among the calls of all ranks, in SMPI's order. In SMPI, all ranks that are ready in an instant
// make one call each, then all of them their next call, and so on. Therefore calls are ordered by instant, then by
// number of the call, then by `turn`, the rank's position among these ranks.
struct CallPlace {
  std::uint64_t instant = 0;
  std::uint32_t call = 0;  // number of the rank's call within the instant
  std::uint32_t turn = 0;  // position of the rank among the ranks that are ready in the instant
  auto operator<=>(const CallPlace&) const = default;
};

class Waiter {
 public:
  // Count one completion; `what` is the number of the completed request, if any. After the last completion, the waiter
  // joins the queue of ready waiters. After any other one, its wait for the next completion counts as another call, as
  // in SMPI's MPI_Waitall.
  void completed_one(std::uint32_t what = 0) {
    take_turn();
    if (--pending != 0) return;
    last = what;
    enqueue();
  }

  // Continue the waiter: a schedule runs its next round, and a fiber is switched to. The engine's loop calls wake() in
  // the order in which waiters became ready.
  virtual void wake() = 0;

  // Record that the request at this position of the waiter's list of requests is complete.
  virtual void list(std::uint32_t /*place*/) {}

  std::int32_t pending = 0;  // number of completions still awaited
  std::uint32_t last = 0;    // number of the request that completed last
  CallPlace place;           // the call in which the waiter began its present wait

 protected:
  ~Waiter() = default;

 private:
  void take_turn();
  void enqueue();
};

}  // namespace pysmpi
