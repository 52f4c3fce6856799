// Generalized requests (MPI 4.1, section 13.2): operations of the program's own, which it says when they are complete.
// They take no simulated time themselves.
#pragma once

#include "matching/point_to_point.hpp"
#include "mpi/mpi.h"

namespace pysmpi {

// What the program's functions make of a generalized request: the status that it has; then its end, after which the
// request is gone; and its cancellation. All return an MPI error code, no handler is called.
int query_generalized(RequestId id, MPI_Status* status);
int end_generalized(RequestId id, MPI_Status* status);
int cancel_generalized(RequestId id);

// MPI_Request_free: the request ends when it is complete, without anybody asking for its status.
int free_generalized(RequestId id);

}  // namespace pysmpi
