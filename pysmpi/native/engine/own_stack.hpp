// Stacks of ranks' own. Greenlets share one C stack: when another rank runs, its frames take the place of those of the
// suspended rank, which greenlet copies to the heap and back. Local variables of compiled code then have no fixed
// address: other ranks overwrite them while a receive, a window or a request refers to them. A function on a stack of
// its own keeps its local variables in place, and nothing is copied, however large its frames are.
//
// Only the frames of that function lie on the own stack. Those before it stay on the common stack, and there greenlet
// switches to other ranks:
//
//     common stack:  greenlet's start, the rank's Python code, run_on_own_stack <--+  greenlet switches here
//                                                                        |         |
//     own stack:                                                         +--> function -> MPI_Recv
#pragma once

namespace pysmpi {

struct OwnStack;
inline OwnStack* own_stack = nullptr;  // the own stack that is in use; null on the common stack

// Run a function on a private stack, or on the present one if that is private already. To be called with the GIL.
// Returns false and sets a Python exception if there is no memory for a stack.
bool run_on_own_stack(void (*function)(void* argument), void* argument);

// Run a function on the common stack, where greenlets can be switched, and return to the own stack afterwards.
void run_on_common_stack(void (*function)(void* argument), void* argument);

// Return the lowest address of the common stack that is in use while an own stack is.
const void* end_of_common_stack();

// Return whether an access to this address has overflowed an own stack.
bool overflows_own_stack(const void* address);

}  // namespace pysmpi
