// Persistent collectives (MPI 4.1, section 6.13).
#pragma once

#include "matching/point_to_point.hpp"

namespace pysmpi {

struct CollectiveCall;

// The running rank makes one: an inactive request. Returns an MPI error code, the communicator's error handler having
// been called.
int make_persistent_collective(const CollectiveCall& call, RequestId& id);

// Begins the next use of one, which is the request's partner until it is complete. Returns an MPI error code likewise.
int start_persistent_collective(RequestId id);

// Its request is about to go.
void forget_persistent_collective(RequestId id);

void end_persistent_collectives();  // when a simulation ends

}  // namespace pysmpi
