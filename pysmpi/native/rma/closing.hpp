// The lock on the lists of transfers that a member of a window waits for. SMPI holds a mutex while a rank waits for the
// transfers in a list (SimGrid 3.32, Win::finish_comms), and whoever adds a transfer to the list waits for the mutex.
// So the ranks that put to one member wait for each other if one of them flushes.
#pragma once

#include "matching/mutex.hpp"
#include "rma/window.hpp"

namespace pysmpi {

// The reason why a rank is blocked, if it waits for a mutex in a call on this window.
inline BlockedOn blocked_in(const Window& window, const char* call) {
  return {.call = call, .kind = WaitKind::kOther, .communicator = window.handle};
}

// Locks a member's lists while the object exists. The constructor waits until no other rank holds the lock.
class ClosedList : public Locked {
 public:
  ClosedList(Window& window, std::int32_t member, const char* call)
      : Locked(window.members[member].list_mutex, blocked_in(window, call)) {}
};

}  // namespace pysmpi
