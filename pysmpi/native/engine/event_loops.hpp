// Event loops of ranks (asyncio, trio). CPython has one running loop per thread, and one set of hooks for asynchronous
// generators. But ranks are greenlets of one thread, so the running loop and the hooks are exchanged when another rank
// runs. A new rank, or a new thread of a rank, starts without a running loop and without hooks.
#pragma once

#include <memory>

namespace pysmpi {

struct EventLoop;

struct EventLoopDeleter {
  void operator()(EventLoop* loop) const;
};
using OwnEventLoop = std::unique_ptr<EventLoop, EventLoopDeleter>;

// Both functions require the GIL.

// Remove the thread's running loop before a switch to another rank. Returns the loop, to be put back when the rank
// continues, or null if no loop is running; the call then takes two comparisons.
OwnEventLoop put_event_loop_away();
void put_event_loop_back(OwnEventLoop own);

}  // namespace pysmpi
