// Datatypes: size, bounds, where the bytes lie and what they mean, and the registry of them all. How derived types are
// made: datatypes/composition.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "datatypes/layout.hpp"
#include "datatypes/signature.hpp"

namespace pysmpi {

// What the bytes mean to a reduction. kMixed: no single basic type, or one that reductions do not know.
enum class Basic : std::uint8_t {
  kMixed,
  kByte,
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kFloat,
  kDouble,
  kLongDouble,
  kComplexFloat,
  kComplexDouble,
  kComplexLongDouble,
  kFloatInt,
  kDoubleInt,
  kLongInt,
  kTwoInt,
  kShortInt,
  kLongDoubleInt,
};

// How MPI_Type_get_contents describes a type: which constructor made it (MPI_COMBINER_), with which arguments.
struct Construction {
  int combiner = 0;
  std::vector<int> integers;
  std::vector<std::int64_t> addresses, large_counts;
  std::vector<std::int32_t> types;  // handles, which this type holds
};

struct Datatype {
  std::int64_t size = 0, lower_bound = 0, extent = 0, true_lower_bound = 0, true_extent = 0;  // bytes
  Basic basic = Basic::kMixed;
  std::int32_t basic_size = 0;           // bytes of one basic item; size / basic_size items an element
  bool contiguous = true;                // its bytes lie in a row, from offset 0 on, and size == extent
  bool explicit_bounds = false;          // it holds bounds that MPI_Type_create_resized has set
  std::int32_t alignment = 1;            // bytes, of the C structure that it could be
  std::shared_ptr<const Layout> layout;  // null when it is contiguous
  std::shared_ptr<const Signature> signature;
  Construction construction;
  std::string name;  // as MPI_Type_set_name has set it
  std::int32_t handle = 0;
  std::int32_t creator = -1;    // running rank; -1: the main greenlet
  std::int32_t handles = 0;     // how many the program has to free: its own, and those that its contents were asked for
  std::int32_t references = 0;  // handles, derived types and requests that use it; predefined types are not counted
};

// Handles of MPICH's ABI: a predefined one is 0x4c00SSNN, size SS and number NN; the pair types that are not packed
// are 0x8c00000N; derived types follow with larger numbers.
constexpr std::int32_t builtin_handle(std::uint8_t number, std::uint8_t size) {
  return static_cast<std::int32_t>(0x4c000000U | std::uint32_t{size} << 8 | number);
}
constexpr std::int32_t pair_handle(std::uint32_t index) { return static_cast<std::int32_t>(0x8c000000U | index); }
inline constexpr std::uint8_t kLowerBoundMarker = 0x10, kUpperBoundMarker = 0x11;  // MPI_LB and MPI_UB, without size

// Null when the handle names no datatype. Predefined handles resolve without a table look-up cost that matters.
Datatype* find_datatype(std::int32_t handle);
inline bool is_predefined(const Datatype& type) { return type.construction.combiner == 0; }

// Registers a derived type and returns its handle. A type, and its handle, live until the program has freed it and all
// requests and derived types have let go of it.
std::int32_t add_datatype(Datatype type);
void hold_datatype(const Datatype& type);
void release_datatype(const Datatype& type);
void free_datatype(Datatype& type);  // one of the program's handles goes
void end_datatypes();                // what ranks have made goes

// count elements from buffer to packed bytes (size * count of them) and back; unpack stops after `bytes`.
void pack(const Datatype& type, const void* buffer, std::int64_t count, void* packed);
void unpack(const Datatype& type, const void* packed, std::int64_t bytes, void* buffer);

}  // namespace pysmpi
