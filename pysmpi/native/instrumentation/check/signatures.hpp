// Type signatures: the sequence of basic items in data, regardless of their place in memory (MPI 4.1, section 5.1).
// Signatures are compared by fingerprints. The time to compute one is proportional to the arguments of the datatype's
// constructors, not to the data.
#pragma once

#include <cstdint>
#include <string>

#include "datatypes/datatype.hpp"

namespace pysmpi {

// Fingerprint of the first `bytes` bytes of consecutive elements, packed. Items of the same representation count as
// equal (MPI_LONG and MPI_INT64_T), although MPI distinguishes them.
std::uint64_t fingerprint(const Datatype& type, std::int64_t bytes);

// Return whether data of one type may be received as data of the other type. Items of one byte match everything: MPI
// forbids this, but it is harmless on machines of one kind, and mpi4py sends bytearrays as MPI_UNSIGNED_CHAR.
bool match(const Datatype& one, const Datatype& other, std::int64_t bytes);

// Return whether the type consists of bytes, which match data of any type.
inline bool is_untyped(const Datatype& type) {
  return type.basic == Basic::kByte || type.basic == Basic::kUint8 || type.basic == Basic::kInt8;
}

// Describe elements of a datatype, for example "3 MPI_DOUBLE (24 bytes)".
std::string describe(std::int64_t count, const Datatype& type);

}  // namespace pysmpi
