// Something that waits for things to complete: a fiber inside a blocking MPI call, or a running schedule.
#pragma once

#include <compare>
#include <cstdint>

namespace pysmpi {

// A place among the calls of all ranks. SMPI lets all ranks that are ready in an instant make one call each, then all
// of them the next one, and so on.
struct CallPlace {
  std::uint64_t instant = 0;
  std::uint32_t call = 0;  // how many the rank makes in this instant, up to this one
  std::uint32_t turn = 0;  // of the rank, among those of the instant
  auto operator<=>(const CallPlace&) const = default;
};

class Waiter {
 public:
  // One of the awaited things has completed, `what` by its number. When it was the last, the waiter joins the queue of
  // those ready to go on; else it begins to wait for the others, as SMPI's MPI_Waitall does by one call each time.
  void completed_one(std::uint32_t what = 0) {
    take_turn();
    if (--pending != 0) return;
    last = what;
    enqueue();
  }

  // Called from the engine's loop, in the order in which waiters became ready: a schedule runs its next round, a fiber
  // is switched to.
  virtual void wake() = 0;

  std::int32_t pending = 0;  // things still awaited
  std::uint32_t last = 0;    // the one that was awaited until the end
  CallPlace place;           // where it began to wait for what is still awaited

 protected:
  ~Waiter() = default;

 private:
  void take_turn();
  void enqueue();
};

}  // namespace pysmpi
