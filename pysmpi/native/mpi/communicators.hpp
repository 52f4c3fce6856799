// The check that every function with a communicator begins with.
#pragma once

#include "matching/communicator.hpp"
#include "mpi.h"

namespace pysmpi {

// Fails with MPI_ERR_COMM for a handle that names no communicator.
int invalid_communicator(const char* function, MPI_Comm comm);

}  // namespace pysmpi
