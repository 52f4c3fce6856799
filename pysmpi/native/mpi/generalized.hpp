// Generalized requests (MPI 4.1, section 13.2): operations that the program implements and marks as complete. They take
// no simulated time themselves.
#pragma once

#include "matching/point_to_point.hpp"
#include "mpi/mpi.h"

namespace pysmpi {

// Call the program's functions for a generalized request: to obtain its status, to finish and release it, and to cancel
// it. Each returns an MPI error code without calling an error handler.
int query_generalized(RequestId id, MPI_Status* status);
int end_generalized(RequestId id, MPI_Status* status);
int cancel_generalized(RequestId id);

// Implements MPI_Request_free: the request is released when it completes, and its status is dropped.
int free_generalized(RequestId id);

}  // namespace pysmpi
