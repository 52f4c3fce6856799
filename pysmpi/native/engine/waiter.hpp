// Something that waits for things to complete: a fiber inside a blocking MPI call, or a running schedule.
#pragma once

#include <cstdint>

namespace pysmpi {

class Waiter {
 public:
  // One of the awaited things has completed.
  void completed_one() {
    if (--pending == 0) wake();
  }

  std::int32_t pending = 0;  // things still awaited; wake() is called when this falls to zero

 protected:
  ~Waiter() = default;
  virtual void wake() = 0;  // called from the engine's event loop, never from inside another rank's call of post
};

}  // namespace pysmpi
