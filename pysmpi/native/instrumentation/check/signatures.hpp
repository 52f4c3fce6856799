// Type signatures: which basic items data consist of, in which order, wherever they lie in memory (MPI 4.1, section
// 5.1). Two are compared by their fingerprints, in a time that goes by the lengths of the constructors' arguments.
#pragma once

#include <cstdint>
#include <string>

#include "datatypes/datatype.hpp"

namespace pysmpi {

// Of the first bytes of so many elements, packed. Items of the same representation count as the same (MPI_LONG and
// MPI_INT64_T), which MPI is stricter about.
std::uint64_t fingerprint(const Datatype& type, std::int64_t bytes);

// Whether data of one type may be received as those of the other. Items of one byte go with everything: MPI wants them
// on both sides, but nothing goes wrong on machines of one kind, and mpi4py calls bytearrays MPI_UNSIGNED_CHAR.
bool match(const Datatype& one, const Datatype& other, std::int64_t bytes);

// Those that go with everything.
inline bool is_untyped(const Datatype& type) {
  return type.basic == Basic::kByte || type.basic == Basic::kUint8 || type.basic == Basic::kInt8;
}

// "3 MPI_DOUBLE (24 bytes)"
std::string describe(std::int64_t count, const Datatype& type);

}  // namespace pysmpi
