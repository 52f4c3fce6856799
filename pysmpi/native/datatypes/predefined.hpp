// The datatypes that every MPI has: names, sizes, alignment in C structures, and how external32 represents them.
// Numbers and handles: MPICH's ABI. External sizes: MPI 4.1, table 14.2.
#pragma once

#include <cstdint>
#include <span>

#include "datatypes/datatype.hpp"

namespace pysmpi {

// How external32 has one item. All are big-endian, and as long as `external_size` says.
enum class External : std::uint8_t {
  kBytes,     // as it is
  kInteger,   // two's complement; longer or shorter than here
  kUnsigned,  // the same without a sign
  kFloating,  // IEEE's format of that length; of 16 bytes: binary128
};

// A datatype that is not a pair, or one half of a pair.
struct Predefined {
  std::uint8_t number;  // of its handle
  const char* name;
  Basic basic;
  std::uint8_t size, alignment;  // bytes
  External external;
  std::uint8_t external_size;  // bytes of one of its parts
  std::uint8_t parts;          // 2: complex numbers, and the pairs of equal halves that Fortran and MPI_2INT have
  std::uint8_t items;          // basic elements, as MPI_Get_elements counts them
};

std::span<const Predefined> predefined_types();
const Predefined& predefined_type(std::uint8_t number);

// The pairs of a value and an int that are no multiple of one basic type: MPI_FLOAT_INT and its like.
struct PredefinedPair {
  const char* name;
  std::uint8_t value;  // number of the value's type
  Basic basic;
};
std::span<const PredefinedPair> predefined_pairs();

// The predefined datatype's name, as MPI has it; null for other handles.
const char* predefined_name(std::int32_t handle);

// Handles of the type of this size among Fortran's optional ones (MPI_INTEGER4 …), and of the pair of these two types;
// kDatatypeNull when there is none. `type_class`: MPI_TYPECLASS_REAL (1), INTEGER (2), COMPLEX (3).
inline constexpr std::int32_t kDatatypeNull = 0x0c000000;
std::int32_t sized_type(int type_class, int size);
std::int32_t pair_of(std::int32_t value, std::int32_t index);

}  // namespace pysmpi
