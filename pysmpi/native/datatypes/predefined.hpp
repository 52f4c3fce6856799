// The predefined datatypes: names, sizes, alignment in C structures, and representation in external32. Numbers and
// handles are those of MPICH's ABI, external sizes those of MPI 4.1, table 14.2.
#pragma once

#include <cstdint>
#include <span>

#include "datatypes/datatype.hpp"

namespace pysmpi {

// Representation of one item in external32. All are big-endian and `external_size` bytes long.
enum class External : std::uint8_t {
  kBytes,     // unchanged
  kInteger,   // two's complement; may be longer or shorter than the native integer
  kUnsigned,  // unsigned integer; may be longer or shorter than the native integer
  kFloating,  // IEEE format of `external_size` bytes; binary128 for 16 bytes
};

// A predefined datatype without gaps in memory. Pairs with gaps are described by PredefinedPair.
struct Predefined {
  std::uint8_t number;  // part of the type's handle
  const char* name;
  Basic basic;
  std::uint8_t size, alignment;  // bytes
  External external;
  std::uint8_t external_size;  // bytes of one part
  std::uint8_t parts;  // 2 for complex numbers and for pairs of equal halves (Fortran's pairs, MPI_2INT), else 1
  std::uint8_t items;  // basic elements as counted by MPI_Get_elements
};

std::span<const Predefined> predefined_types();
const Predefined& predefined_type(std::uint8_t number);

// Pairs of a value and an int of another type: MPI_FLOAT_INT and similar types.
struct PredefinedPair {
  const char* name;
  std::uint8_t value;  // number of the value's datatype
  Basic basic;
};
std::span<const PredefinedPair> predefined_pairs();

// Returns the predefined datatype's MPI name, or null for other handles.
const char* predefined_name(std::int32_t handle);

// sized_type returns the handle of Fortran's optional type of this class and size (MPI_INTEGER4, ...), pair_of the
// handle of the pair of two types; both return kDatatypeNull if the type does not exist. `type_class`:
// MPI_TYPECLASS_REAL (1), INTEGER (2), COMPLEX (3).
inline constexpr std::int32_t kDatatypeNull = 0x0c000000;
std::int32_t sized_type(int type_class, int size);
std::int32_t pair_of(std::int32_t value, std::int32_t index);

}  // namespace pysmpi
