// Waiting for what is under way in a window. All of it is for the running rank, blocks it, and returns what a message
// has met: an error kErrorStopped when the rank is being stopped.
#pragma once

#include <vector>

#include "rma/window.hpp"

namespace pysmpi {

// Ends these requests, as SMPI's MPI_Waitall does, and gives them back; the list is then empty.
Fault wait_all(const Window& window, std::vector<RequestId>& requests, const char* call);

// What this rank has begun and what is still under way to or from a member, or all of them; the local forms: what it
// has to wait for before it may use its buffers again, which is its gets.
Fault flush(Window& window, std::int32_t member, const char* call);
Fault flush_local(Window& window, std::int32_t member, const char* call);
Fault flush_all(Window& window, const char* call);
Fault flush_local_all(Window& window, const char* call);

// What comes to this rank, whoever has begun it; it takes no time when there is nothing.
Fault finish_own(Window& window, const char* call);

// A rank that looks at memory again and again, until another has changed it, is to see time go on: to be called when a
// flush or the like has taken none. The first hundred of them in a row are free, each further one takes smpi/wtime.
// False when the rank is being stopped.
bool let_time_pass(const char* call);

}  // namespace pysmpi
