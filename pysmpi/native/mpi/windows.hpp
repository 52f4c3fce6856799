// Checks of window arguments.
#pragma once

#include "mpi/mpi.h"
#include "rma/window.hpp"

namespace pysmpi {

// Returns the window, or null if the handle is not a window of the running rank. In that case it fails with MPI_ERR_WIN
// and stores the code to return in `error`.
Window* checked_window(const char* function, MPI_Win win, int& error);

// Returns whether `rank` is a member of the window; MPI_PROC_NULL is not. Otherwise fails with MPI_ERR_RANK and stores
// the code in `error`.
bool is_member(const char* function, const Window& window, int rank, int& error);

}  // namespace pysmpi
