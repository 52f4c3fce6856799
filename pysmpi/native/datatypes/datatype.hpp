// Datatypes: size, bounds, memory layout and meaning of their bytes, and the registry of all datatypes.
// datatypes/composition.hpp constructs derived types.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "datatypes/layout.hpp"
#include "datatypes/signature.hpp"

namespace pysmpi {

// The basic type of all items, for reductions. kMixed: the items have different basic types, or a basic type without
// reductions.
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
  kInt128,
  kLastInteger = kInt128,
  kHalf,
  kFloat,
  kDouble,
  kLongDouble,
  kQuadruple,  // IEEE binary128
  kLastFloating = kQuadruple,
  kComplexHalf,
  kComplexFloat,
  kComplexDouble,
  kComplexLongDouble,
  kComplexQuadruple,
  kLastComplex = kComplexQuadruple,
  kFloatInt,
  kDoubleInt,
  kLongInt,
  kTwoInt,
  kShortInt,
  kLongDoubleInt,
  kTwoFloat,
  kTwoDouble,
  kLastPair = kTwoDouble,
};

// The constructor of a type (one of the constants MPI_COMBINER_…) and its arguments, as MPI_Type_get_contents returns
// them.
struct Construction {
  int combiner = 0;
  std::vector<int> integers;
  std::vector<std::int64_t> addresses, large_counts;
  std::vector<std::int32_t> types;  // handles, to which this type holds references
};

struct Datatype {
  std::int64_t size = 0, lower_bound = 0, extent = 0, true_lower_bound = 0, true_extent = 0;  // bytes
  Basic basic = Basic::kMixed;
  std::int32_t basic_size = 0;           // bytes of one basic item; an element has size / basic_size items
  bool contiguous = true;                // bytes are contiguous from offset 0 on, and size == extent
  bool explicit_bounds = false;          // contains bounds set by MPI_Type_create_resized
  bool committed = false;                // messages, files and windows may use it
  std::int32_t alignment = 1;            // bytes, as a C structure
  std::shared_ptr<const Layout> layout;  // null if contiguous
  std::shared_ptr<const Signature> signature;
  Construction construction;
  std::string name;  // set by MPI_Type_set_name
  std::int32_t handle = 0;
  std::int32_t creator = -1;  // rank that created it, or -1 for the main greenlet
  // Number of handles that the program must free: the type's own, and those returned with the contents of other types.
  std::int32_t handles = 0;
  // Number of handles, derived types and requests that use the type; not counted for predefined types.
  std::int32_t references = 0;
};

// Handles of MPICH's ABI. A predefined type is 0x4c00SSNN with size SS and number NN; pair types with gaps are
// 0x8c00000N. Derived types have larger numbers.
constexpr std::int32_t builtin_handle(std::uint8_t number, std::uint8_t size) {
  return static_cast<std::int32_t>(0x4c000000U | std::uint32_t{size} << 8 | number);
}
constexpr std::int32_t pair_handle(std::uint32_t index) { return static_cast<std::int32_t>(0x8c000000U | index); }
// Numbers of MPI_LB and MPI_UB, which have no size.
inline constexpr std::uint8_t kLowerBoundMarker = 0x10, kUpperBoundMarker = 0x11;

// Returns the datatype with this handle, or null if the handle is invalid. Predefined handles are found in constant
// time without a hash table.
Datatype* find_datatype(std::int32_t handle);
inline bool is_predefined(const Datatype& type) { return type.construction.combiner == 0; }

// Registers a derived type and returns its handle. The type lives until the program has freed its handles and all
// requests and derived types have released it.
std::int32_t add_datatype(Datatype type);
void hold_datatype(const Datatype& type);
void release_datatype(const Datatype& type);
void free_datatype(Datatype& type);  // frees one of the program's handles

// When a simulation ends, drops the types that its ranks have created. Types created outside ranks are kept.
struct DatatypesOfRanks {
  DatatypesOfRanks() = default;
  ~DatatypesOfRanks();
};

// pack copies `count` elements to size * count packed bytes. unpack copies `bytes` packed bytes back into elements.
void pack(const Datatype& type, const void* buffer, std::int64_t count, void* packed);
void unpack(const Datatype& type, const void* packed, std::int64_t bytes, void* buffer);

}  // namespace pysmpi
