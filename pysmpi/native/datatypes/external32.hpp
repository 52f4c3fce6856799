// The data representation "external32" (MPI 4.1, section 14.5.2): big-endian, IEEE numbers, fixed sizes, no padding.
#pragma once

#include <cstdint>

#include "datatypes/datatype.hpp"

namespace pysmpi {

// Returns the bytes of one element in external32.
std::int64_t external_size(const Datatype& type);

// Convert `count` elements between their packed form (datatypes/datatype.hpp) and external32. Return false if a number
// is out of range: MPI_LONG and MPI_UNSIGNED_LONG have 4 bytes in external32, MPI_WCHAR has 2.
bool to_external(const Datatype& type, const char* packed, std::int64_t count, char* external);
bool from_external(const Datatype& type, const char* external, std::int64_t count, char* packed);

}  // namespace pysmpi
