// Waiting for requests and finishing them.
#pragma once

#include "engine/call.hpp"
#include "matching/point_to_point.hpp"
#include "mpi/mpi.h"
#include "mpi/request_handles.hpp"
#include "mpi/status.hpp"
#include "objects/errors.hpp"

namespace pysmpi {

// Blocks the running rank until the request is complete. Returns false if the rank is being stopped.
bool wait_for(RequestId id, const char* call);

// Finishes a complete request: lets its receive overhead pass, fills the status, releases the request and sets the
// handle to MPI_REQUEST_NULL. A persistent request becomes inactive instead. Returns an MPI error code without calling
// an error handler.
int finish_request(MPI_Request* handle, MPI_Status* status, const char* call);

// Spends the receive overhead of a complete request while the fiber stays blocked, for Fiber::proceed: returns false if
// the fiber now sleeps. receive_overhead is 0 afterwards.
bool pay_for_receive(Fiber& fiber, RequestId id);

// Waits for and releases the request of a blocking operation, which has no handle, and fills the status.
int wait_and_finish(RequestId id, MPI_Status* status, const char* call);

}  // namespace pysmpi
