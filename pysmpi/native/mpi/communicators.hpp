// Error report for invalid communicators, common to all functions with a communicator.
#pragma once

#include "matching/communicator.hpp"
#include "mpi.h"

namespace pysmpi {

// Fails with MPI_ERR_COMM for an invalid communicator handle.
int invalid_communicator(const char* function, MPI_Comm comm);

}  // namespace pysmpi
