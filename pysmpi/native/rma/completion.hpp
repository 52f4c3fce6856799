// Waiting for transfers in a window. Each function acts for the running rank and blocks it. It returns the first fault
// of the transfers; its error is kErrorStopped if the rank is being stopped.
#pragma once

#include <vector>

#include "rma/window.hpp"

namespace pysmpi {

// Waits for the requests as SMPI's MPI_Waitall does, releases them and empties the list.
Fault wait_all(const Window& window, std::vector<RequestId>& requests, const char* call);

// Wait for the transfers that this rank has started to or from one member, or all members. The local forms wait only
// until this rank may use its buffers again, which means only for its gets.
Fault flush(Window& window, std::int32_t member, const char* call);
Fault flush_local(Window& window, std::int32_t member, const char* call);
Fault flush_all(Window& window, const char* call);
Fault flush_local_all(Window& window, const char* call);

// Waits for all transfers into this rank's memory, whichever rank started them, and for its own gets. Takes no time if
// there are none.
Fault finish_own(Window& window, const char* call);

// Advances simulated time for a rank that polls memory until another rank changes it. To be called if a flush or
// similar call has taken no time. The first 100 consecutive calls are free, each further one takes smpi/wtime. Returns
// false if the rank is being stopped.
bool let_time_pass(const char* call);

}  // namespace pysmpi
