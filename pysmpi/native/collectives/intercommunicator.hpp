// Selection of the algorithm for collectives on intercommunicators.
#pragma once

#include "collectives/arguments.hpp"

namespace pysmpi {

// Values of the root argument on the root's side of a rooted collective. The other group passes the root's rank.
inline constexpr std::int32_t kRootIsMe = -3, kRootIsAnother = -1;  // MPI_ROOT and MPI_PROC_NULL of MPICH's ABI

// Returns the algorithm of the operation on intercommunicators, or null for scans and neighbourhood collectives, which
// intercommunicators do not support.
Algorithm intercommunicator_algorithm(Operation operation);

}  // namespace pysmpi
