// Persistent collectives (MPI 4.1, section 6.13).
#pragma once

#include "matching/point_to_point.hpp"

namespace pysmpi {

struct CollectiveCall;

// Creates an inactive request for the running rank. Returns an MPI error code; on an error the communicator's error
// handler has been called.
int make_persistent_collective(const CollectiveCall& call, RequestId& id);

// Starts the next use. The request's partner is the request of that use until it is complete. Returns an MPI error code
// as above.
int start_persistent_collective(RequestId id);

// Deletes the data of a persistent collective whose request is about to be freed.
void forget_persistent_collective(RequestId id);

void end_persistent_collectives();  // called when a simulation ends

}  // namespace pysmpi
