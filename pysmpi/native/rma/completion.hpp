// Waiting for transfers in a window. Each function acts for the running rank and blocks it. It returns the first fault
// of the transfers; its error is kErrorStopped if the rank is being stopped.
#pragma once

#include <vector>

#include "objects/errors.hpp"
#include "rma/window.hpp"

namespace pysmpi {

inline constexpr std::int32_t kAccumulateTag = 1;   // Request::tag of the transfer of an accumulate
inline constexpr Fault kStopped{kErrorStopped, 0};  // the rank is being stopped

// Waits for the requests as SMPI's MPI_Waitall does, releases them and empties the list.
Fault wait_all(const Window& window, std::vector<RequestId>& requests, const char* call);

// Wait for all transfers between this rank and one member, whichever of the two has started them. finish_with_each
// waits in this way for one member after the other.
Fault finish_with(Window& window, std::int32_t member, const char* call);
Fault finish_with_each(Window& window, const char* call);

// Implementations of MPI_Win_flush and similar functions, for one member or all members. The local forms do not wait
// for this rank's puts and accumulates, whose buffers the program may use again at once.
Fault flush(Window& window, std::int32_t member, const char* call);
Fault flush_local(Window& window, std::int32_t member, const char* call);
Fault flush_all(Window& window, const char* call);
Fault flush_each(Window& window, const char* call);  // flushes one member after the other, as MPI_Win_unlock_all does
Fault flush_local_all(Window& window, const char* call);

// Waits for all transfers into this rank's memory, whichever rank started them, and for its own gets. Takes no time if
// there are none.
Fault finish_own(Window& window, const char* call);

// Waits as SMPI's MPI_Barrier does, for each window that was created on the communicator and that this rank has not
// freed: for all transfers into this rank's memory, and for its own gets except those of MPI_Rget.
Fault finish_in_barrier(const Communicator& communicator);

// Advances simulated time for a rank that polls memory until another rank changes it. To be called if a flush or
// similar call has taken no time. The first 100 consecutive calls are free, each further one takes smpi/wtime. Returns
// false if the rank is being stopped.
bool let_time_pass(const char* call);

}  // namespace pysmpi
