// Which algorithm carries out a collective between two groups.
#pragma once

#include "collectives/arguments.hpp"

namespace pysmpi {

// The root of a rooted collective as the call says it: its rank in the other group, or one of these in its own.
inline constexpr std::int32_t kRootIsMe = -3, kRootIsAnother = -1;  // MPI_ROOT and MPI_PROC_NULL of MPICH's ABI

// Null for scans and neighbourhoods, which intercommunicators do not have.
Algorithm intercommunicator_algorithm(Operation operation);

}  // namespace pysmpi
