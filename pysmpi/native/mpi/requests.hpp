// Waiting for requests, and their ends.
#pragma once

#include "engine/call.hpp"
#include "matching/point_to_point.hpp"
#include "mpi/mpi.h"
#include "mpi/request_handles.hpp"
#include "mpi/status.hpp"
#include "objects/errors.hpp"

namespace pysmpi {

// Blocks the running rank until the request is complete. False when it is being stopped.
bool wait_for(RequestId id, const char* call);

// Ends a complete request: its receive overhead passes, its status is filled, it goes back to the pool and its handle
// to MPI_REQUEST_NULL (a persistent one becomes inactive). Returns an MPI error code, without calling any handler.
int finish_request(MPI_Request* handle, MPI_Status* status, const char* call);

// A blocking operation's own request, which has no handle: waits, fills the status, releases.
int wait_and_finish(RequestId id, MPI_Status* status, const char* call);

}  // namespace pysmpi
