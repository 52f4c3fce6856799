// Calls of compiled code by ctypes and cffi (isolation/foreign_calls.cpp).
#pragma once

namespace pysmpi {

// Forget which code can call MPI, because a library has been loaded or unloaded.
void forget_mpi_callers();

}  // namespace pysmpi
