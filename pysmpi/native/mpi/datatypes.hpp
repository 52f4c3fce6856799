// Helpers of the functions on datatypes.
#pragma once

#include "datatypes/datatype.hpp"
#include "mpi.h"
#include "objects/errors.hpp"

namespace pysmpi {

// Fails with MPI_ERR_TYPE for an invalid datatype handle.
int invalid_datatype(const char* function, MPI_Datatype type);

// Converts a count to the type of the caller's argument, or to MPI_UNDEFINED if it does not fit.
template <class Narrow>
Narrow narrow(std::int64_t value) {
  const auto result = static_cast<Narrow>(value);
  return result == value ? result : static_cast<Narrow>(MPI_UNDEFINED);
}

}  // namespace pysmpi
