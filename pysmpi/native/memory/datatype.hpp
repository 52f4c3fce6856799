// Datatypes as the engine sees them: size, extent, and where the bytes lie. Python makes derived types
// (pysmpi/mpi/datatype.py) and registers here only what moving and reducing bytes needs.
#pragma once

#include <cstdint>
#include <vector>

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

struct Segment {
  std::int64_t offset, length;  // bytes, from the start of one element
};

struct Items {
  std::int64_t size, count;  // so many basic items of so many bytes each

  bool operator==(const Items&) const = default;
};

struct Datatype {
  std::int64_t size = 0, lower_bound = 0, extent = 0, true_lower_bound = 0, true_extent = 0;  // bytes
  Basic basic = Basic::kMixed;
  std::int32_t basic_size = 0;    // bytes of one item of `basic`; 0: of several kinds
  std::vector<Items> items;       // those that MPI_Get_elements counts, as they repeat themselves; empty: as basic_size
  bool contiguous = true;         // one segment at offset 0 of length size == extent
  std::vector<Segment> segments;  // in the type map's order; empty when contiguous
  std::int32_t handle = 0;
  std::int32_t references = 0;  // predefined types are not counted
};

// Null when the handle names no datatype. Predefined handles resolve without a table look-up cost that matters.
const Datatype* find_datatype(std::int32_t handle);

// Registers a derived type and returns its handle; a type lives until its handle and all requests have let go of it.
std::int32_t add_datatype(Datatype type);
void hold_datatype(const Datatype& type);
void release_datatype(const Datatype& type);
void remove_datatype(std::int32_t handle);  // the handle is no longer valid
void end_datatypes();                       // all derived types go

// count elements from buffer to packed bytes (size * count of them) and back; unpack stops after `bytes`.
void pack(const Datatype& type, const void* buffer, std::int64_t count, void* packed);
void unpack(const Datatype& type, const void* packed, std::int64_t bytes, void* buffer);

}  // namespace pysmpi
