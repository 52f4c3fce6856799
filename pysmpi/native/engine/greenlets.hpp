// Changes of greenlet itself, so that programs may make greenlets, and ranks may use private stacks.
#pragma once

namespace pysmpi {

// True once a rank has made a greenlet, in which it may call MPI.
inline bool programs_have_greenlets = false;

// Notice from now on when ranks make greenlets. To be called with the GIL.
void watch_for_greenlets();

// From now on, run the functions of greenlet that may switch to another greenlet on the common stack, whichever stack
// their caller uses (engine/own_stack.hpp). On an own stack, greenlet would take all memory up to the common stack for
// frames. To be called with the GIL.
void redirect_greenlet_switches();

}  // namespace pysmpi
