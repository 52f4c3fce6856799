// Switching between ranks and the main greenlet, which starts ranks and runs the Python part of the loop.
#pragma once

#include "base/types.hpp"

namespace pysmpi {

class Fiber;

void set_main_greenlet();              // makes the calling greenlet the main one
void hand_over_to(Fiber& fiber);       // called before the main greenlet switches to the fiber
void hand_back_to_main(Fiber& fiber);  // called when the fiber has ended and its greenlet returns to the main one
void set_stop_exception(void* type);   // PyObject*; raised asynchronously in ranks that are being stopped
void raise_stop();                     // raises it at once, instead of asynchronously

// Cancel stop exceptions that are still to be raised asynchronously, by raising them in an expression that does
// nothing. PyThreadState_SetAsyncExc(NULL) would cancel them too, but leave a flag in CPython that is never cleared.
// This flag slows down the interpreter and hangs traced code (3.11, Python/ceval.c: DO_TRACING of RESUME).
void withdraw_stop();

}  // namespace pysmpi
