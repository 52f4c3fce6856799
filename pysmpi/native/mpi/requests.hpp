// Waiting for requests and finishing them.
#pragma once

#include "engine/call.hpp"
#include "engine/steps.hpp"
#include "matching/point_to_point.hpp"
#include "mpi/mpi.h"
#include "mpi/request_handles.hpp"
#include "mpi/status.hpp"
#include "objects/errors.hpp"

namespace pysmpi {

// Waits until the request is complete and the overhead of a receive has passed. Returns false if the rank is being
// stopped. Not needed if has_ended(id) is true.
Steps<bool> await_end(RequestId id, const char* call);
bool has_ended(RequestId id);

// Fills the status and releases the request of a blocking operation, which has no handle. `going` is the result of
// await_end. Returns an MPI error code without calling an error handler.
int end_request(RequestId id, bool going, MPI_Status* status, const char* call);

// Waits for the request of a blocking operation, then calls end_request.
int wait_and_finish(RequestId id, MPI_Status* status, const char* call);

}  // namespace pysmpi
