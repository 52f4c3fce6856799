// A collective called by the running rank.
#pragma once

#include "collectives/arguments.hpp"
#include "schedule/ledger.hpp"

namespace pysmpi {

// Where a side of the call says MPI_IN_PLACE, its buffer is this.
inline void* const kInPlace = reinterpret_cast<void*>(-1);

// Runs it to its end with the rank blocked. The arguments are checked; MPI_IN_PLACE, buffers and count vectors on the C
// stack are seen to here. Returns an MPI error code, the communicator's error handler having been called.
int call_collective(Operation operation, Communicator& communicator, Arguments a, const CollectiveSignature& signature);

}  // namespace pysmpi
