// Something that waits for things to complete: a fiber inside a blocking MPI call, or a running schedule.
#pragma once

#include <cstdint>

namespace pysmpi {

class Waiter {
 public:
  // One of the awaited things has completed, `what` by its number. When it was the last, the waiter joins the queue of
  // those ready to go on.
  void completed_one(std::uint32_t what = 0) {
    if (--pending != 0) return;
    last = what;
    enqueue();
  }

  // Called from the engine's loop, in the order in which waiters became ready: a schedule runs its next round, a fiber
  // is switched to.
  virtual void wake() = 0;

  std::int32_t pending = 0;  // things still awaited
  std::uint32_t last = 0;    // the one that was awaited until the end

 protected:
  ~Waiter() = default;

 private:
  void enqueue();
};

}  // namespace pysmpi
