// Between the main greenlet, which starts ranks and runs Python's side of the loop, and the ranks.
#pragma once

#include "base/types.hpp"

namespace pysmpi {

class Fiber;

void simulation_begin(RankId ranks, const HostId* rank_hosts);
void simulation_end();
void end_thread_waits();  // once the simulation has ended

void set_main_greenlet();              // the caller is it
void hand_over_to(Fiber& fiber);       // the main greenlet is about to switch to it
void hand_back_to_main(Fiber& fiber);  // it has ended, and its greenlet is about to return to the main one
void set_stop_exception(void* type);   // PyObject*; raised asynchronously in ranks that are being stopped

// Nothing is to be raised asynchronously any more. What was to be is raised in an expression that does nothing, and
// dropped: PyThreadState_SetAsyncExc(NULL) would leave CPython believing for ever that something is pending, which
// makes it look at each of its checks and hangs traced code (3.11, Python/ceval.c: DO_TRACING of RESUME).
void withdraw_stop();

}  // namespace pysmpi
