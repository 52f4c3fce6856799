// The lock on the list of transfers that a member of a window waits for. SMPI holds a mutex while a rank waits for the
// transfers in a list (SimGrid 3.32, Win::finish_comms), and whoever adds a transfer to the list waits for the mutex.
// So the ranks that put to one member wait for each other if one of them flushes.
#pragma once

#include "rma/window.hpp"

namespace pysmpi {

// Keeps a member's list closed to other ranks while the object exists. The constructor waits until the list is open.
// With `in_turn`, ranks that do so in one instant come in the order of SMPI's calls; without, only if another rank does
// so in turn.
class ClosedList {
 public:
  ClosedList(Window& window, std::int32_t member, bool in_turn, const char* call);
  ~ClosedList();
  ClosedList(const ClosedList&) = delete;
  ClosedList& operator=(const ClosedList&) = delete;
  bool stopped() const { return !held_; }  // the rank is being stopped, and the list is not closed

 private:
  ListLock& lock_;
  bool held_ = true;
};

}  // namespace pysmpi
