// What the functions on datatypes share.
#pragma once

#include "datatypes/datatype.hpp"
#include "mpi.h"
#include "objects/errors.hpp"

namespace pysmpi {

// Fails with MPI_ERR_TYPE for a handle that names no datatype.
int invalid_datatype(const char* function, MPI_Datatype type);

// A count in the width of the caller's argument; MPI_UNDEFINED where it does not fit.
template <class Narrow>
Narrow narrow(std::int64_t value) {
  const auto result = static_cast<Narrow>(value);
  return result == value ? result : static_cast<Narrow>(MPI_UNDEFINED);
}

}  // namespace pysmpi
