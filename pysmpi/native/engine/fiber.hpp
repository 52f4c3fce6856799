// A fiber is a rank's thread of execution: a greenlet that blocks inside MPI calls and is switched natively.
#pragma once

#include <Python.h>

#include "engine/types.hpp"
#include "engine/waiter.hpp"

struct _greenlet;

namespace pysmpi {

// What a blocked rank waits for; read by the deadlock report.
struct BlockedOn {
  const char* call = nullptr;     // "MPI_Recv"; null when not inside a blocking call
  std::uint32_t request = kNone;  // the first request waited for, if any
  std::int32_t communicator = 0;  // MPI_Comm handle, 0 when none
};

enum class FiberState : std::uint8_t { kUnstarted, kReady, kRunning, kBlocked, kEnded };

class Fiber final : public Waiter {
 public:
  RankId rank = -1;
  FiberState state = FiberState::kUnstarted;
  bool stopping = false;           // the rank is being stopped: every further MPI call of it fails at once
  _greenlet* greenlet = nullptr;   // owned reference, set when it first blocks
  BlockedOn blocked_on;

  void wake() override;
};

// Blocks the running fiber until its `pending` count falls to zero (returns at once when it is zero). Called without the
// GIL held, or with it: both are allowed. False when the rank is being stopped: return kErrorStopped at once.
bool block(BlockedOn on);

// The address lies on this thread's C stack, whose contents other ranks overwrite while this one is suspended:
// bounce such buffers through the heap.
bool on_c_stack(const void* address);

}  // namespace pysmpi
