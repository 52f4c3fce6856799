// The checks that functions with a window begin with.
#pragma once

#include "mpi/mpi.h"
#include "rma/window.hpp"

namespace pysmpi {

// Null when the handle names no window of the running rank; the function has then failed, with MPI_ERR_WIN, and returns
// `error`.
Window* checked_window(const char* function, MPI_Win win, int& error);

// The target is a member of the window; MPI_PROC_NULL is not. Else the function has failed, with MPI_ERR_RANK.
bool is_member(const char* function, const Window& window, int rank, int& error);

}  // namespace pysmpi
