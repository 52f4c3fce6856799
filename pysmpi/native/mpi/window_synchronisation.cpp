// Functions that begin and end access to windows. MPI_Win_post and MPI_Win_start, which take groups, are implemented in
// pysmpi/simulation/mpi/window.py.
#include "engine/call.hpp"
#include "mpi/mpi.h"
#include "mpi/windows.hpp"
#include "objects/errors.hpp"
#include "rma/completion.hpp"
#include "rma/epochs.hpp"

using namespace pysmpi;

namespace {

// Checks the window and calls `action` with it.
template <class Action>
int with_window(const char* function, MPI_Win win, const Action& action) {
  const Call call(function);
  if (call.stopped()) return kErrorStopped;
  int error = MPI_SUCCESS;
  Window* const window = checked_window(function, win, error);
  return window ? action(*window) : error;
}

// Checks the window and the rank of one of its members, and calls `action` with the window. Does nothing for
// MPI_PROC_NULL.
template <class Action>
int with_member(const char* function, MPI_Win win, int rank, const Action& action) {
  return with_window(function, win, [&](Window& window) {
    int error = MPI_SUCCESS;
    if (rank == MPI_PROC_NULL) return MPI_SUCCESS;
    return is_member(function, window, rank, error) ? action(window) : error;
  });
}

// Returns whether `assertion` combines only bits of `valid`.
bool is_assertion(int assertion, int valid) { return (assertion & ~valid) == 0; }

int invalid_assertion(const Window& window, const char* function, int assertion) {
  return fail(window.handle, MPI_ERR_ASSERT, function, "invalid assertion %d", assertion);
}

}  // namespace

extern "C" {

int MPI_Win_fence(int assertion, MPI_Win win) {
  return with_window("MPI_Win_fence", win, [&](Window& window) {
    constexpr int kValid = MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
    if (!is_assertion(assertion, kValid)) return invalid_assertion(window, "MPI_Win_fence", assertion);
    return fence(window, assertion);
  });
}

int MPI_Win_complete(MPI_Win win) { return with_window("MPI_Win_complete", win, complete_access); }
int MPI_Win_wait(MPI_Win win) { return with_window("MPI_Win_wait", win, wait_for_accesses); }

int MPI_Win_test(MPI_Win win, int* flag) {
  return with_window("MPI_Win_test", win, [&](Window& window) {
    bool done = false;
    const int error = test_accesses(window, done);
    *flag = done;
    return error;
  });
}

int MPI_Win_lock(int lock_type, int rank, int assertion, MPI_Win win) {
  return with_member("MPI_Win_lock", win, rank, [&](Window& window) {
    if (lock_type != MPI_LOCK_EXCLUSIVE && lock_type != MPI_LOCK_SHARED) {
      return fail(win, MPI_ERR_LOCKTYPE, "MPI_Win_lock",
                  "invalid lock type %d; valid: MPI_LOCK_EXCLUSIVE and MPI_LOCK_SHARED", lock_type);
    }
    if (!is_assertion(assertion, MPI_MODE_NOCHECK)) return invalid_assertion(window, "MPI_Win_lock", assertion);
    return lock_member(window, rank, lock_type == MPI_LOCK_EXCLUSIVE);
  });
}

int MPI_Win_unlock(int rank, MPI_Win win) {
  return with_member("MPI_Win_unlock", win, rank, [&](Window& window) { return unlock_member(window, rank); });
}

int MPI_Win_lock_all(int assertion, MPI_Win win) {
  return with_window("MPI_Win_lock_all", win, [&](Window& window) {
    if (!is_assertion(assertion, MPI_MODE_NOCHECK)) return invalid_assertion(window, "MPI_Win_lock_all", assertion);
    return lock_all_members(window);
  });
}

int MPI_Win_unlock_all(MPI_Win win) { return with_window("MPI_Win_unlock_all", win, unlock_all_members); }

int MPI_Win_flush(int rank, MPI_Win win) {
  return with_member("MPI_Win_flush", win, rank,
                     [&](Window& window) { return flush_member(window, FlushKind::kRemote, rank, "MPI_Win_flush"); });
}
int MPI_Win_flush_local(int rank, MPI_Win win) {
  return with_member("MPI_Win_flush_local", win, rank, [&](Window& window) {
    return flush_member(window, FlushKind::kLocal, rank, "MPI_Win_flush_local");
  });
}
int MPI_Win_flush_all(MPI_Win win) {
  return with_window("MPI_Win_flush_all", win,
                     [](Window& window) { return flush_all_members(window, FlushKind::kRemote, "MPI_Win_flush_all"); });
}
int MPI_Win_flush_local_all(MPI_Win win) {
  return with_window("MPI_Win_flush_local_all", win, [](Window& window) {
    return flush_all_members(window, FlushKind::kLocal, "MPI_Win_flush_local_all");
  });
}

// All ranks share one memory, so nothing has to be synchronised. The call lets time pass, because a loop that polls
// memory would otherwise never end.
int MPI_Win_sync(MPI_Win win) {
  return with_window("MPI_Win_sync", win,
                     [](Window&) { return let_time_pass("MPI_Win_sync") ? MPI_SUCCESS : kErrorStopped; });
}

}  // extern "C"
