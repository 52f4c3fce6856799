// Checks of datatypes and buffers, for all functions that move data.
#pragma once

#include <cstdint>
#include <string>

#include "datatypes/datatype.hpp"

namespace pysmpi {

// Value of MPI_IN_PLACE, which replaces a buffer's address.
inline void* const kInPlace = reinterpret_cast<void*>(-1);

// Returns the datatype if its elements can be moved, or null if the handle is invalid or the datatype is not committed.
inline const Datatype* committed_datatype(std::int32_t handle) {
  const Datatype* const type = find_datatype(handle);
  return type && type->committed ? type : nullptr;
}

// Describes why committed_datatype has returned null.
std::string describe_unusable(std::int32_t handle);

// Returns why `buffer` cannot contain elements of this datatype, or null if it can. A null pointer is also MPI_BOTTOM,
// which is valid with a datatype that contains absolute addresses.
const char* buffer_fault(const void* buffer, std::int64_t count, const Datatype& type);

}  // namespace pysmpi
