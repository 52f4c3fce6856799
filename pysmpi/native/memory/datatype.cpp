#include "memory/datatype.hpp"

#include <array>
#include <cstring>
#include <memory>

namespace pysmpi {

namespace {

// MPICH's ABI: a predefined handle is 0x4c00SSNN, size SS and number NN; the pair types that are not packed are
// 0x8c00000N; derived types follow with larger numbers.
constexpr std::uint32_t kBuiltin = 0x4c000000U, kDynamic = 0x8c000000U, kKindMask = 0xfc000000U,
                        kIndexMask = 0x03ffffffU;
constexpr std::uint32_t kFirstDerived = 16;

struct Predefined {
  std::uint8_t number;
  Basic basic;
  std::uint8_t size;
};

constexpr Predefined kPredefined[] = {
    {0x01, Basic::kInt8, 1},
    {0x02, Basic::kUint8, 1},
    {0x03, Basic::kInt16, 2},
    {0x04, Basic::kUint16, 2},
    {0x05, Basic::kInt32, 4},
    {0x06, Basic::kUint32, 4},
    {0x07, Basic::kInt64, 8},
    {0x08, Basic::kUint64, 8},
    {0x09, Basic::kInt64, 8},
    {0x0a, Basic::kFloat, 4},
    {0x0b, Basic::kDouble, 8},
    {0x0c, Basic::kLongDouble, 16},
    {0x0d, Basic::kByte, 1},
    {0x0e, Basic::kInt32, 4},
    {0x0f, Basic::kByte, 1},
    {0x16, Basic::kTwoInt, 8},
    {0x18, Basic::kInt8, 1},
    {0x19, Basic::kUint64, 8},
    {0x1a, Basic::kInt8, 1},
    {0x1b, Basic::kInt32, 4},
    {0x1c, Basic::kFloat, 4},
    {0x1d, Basic::kInt32, 4},
    {0x1e, Basic::kComplexFloat, 8},
    {0x1f, Basic::kDouble, 8},
    {0x20, Basic::kTwoInt, 8},
    {0x21, Basic::kMixed, 8},
    {0x22, Basic::kComplexDouble, 16},
    {0x23, Basic::kMixed, 16},
    {0x26, Basic::kMixed, 2},
    {0x27, Basic::kFloat, 4},
    {0x28, Basic::kComplexFloat, 8},
    {0x29, Basic::kDouble, 8},
    {0x2a, Basic::kComplexDouble, 16},
    {0x2b, Basic::kLongDouble, 16},
    {0x2c, Basic::kComplexLongDouble, 32},
    {0x2d, Basic::kInt8, 1},
    {0x2e, Basic::kMixed, 4},
    {0x2f, Basic::kInt16, 2},
    {0x30, Basic::kInt32, 4},
    {0x31, Basic::kInt64, 8},
    {0x32, Basic::kMixed, 16},
    {0x33, Basic::kBool, 1},
    {0x34, Basic::kComplexFloat, 8},
    {0x35, Basic::kComplexDouble, 16},
    {0x36, Basic::kComplexLongDouble, 32},
    {0x37, Basic::kInt8, 1},
    {0x38, Basic::kInt16, 2},
    {0x39, Basic::kInt32, 4},
    {0x3a, Basic::kInt64, 8},
    {0x3b, Basic::kUint8, 1},
    {0x3c, Basic::kUint16, 2},
    {0x3d, Basic::kUint32, 4},
    {0x3e, Basic::kUint64, 8},
    {0x3f, Basic::kBool, 1},
    {0x40, Basic::kComplexFloat, 8},
    {0x41, Basic::kComplexDouble, 16},
    {0x42, Basic::kComplexLongDouble, 32},
    {0x43, Basic::kInt64, 8},
    {0x44, Basic::kInt64, 8},
    {0x45, Basic::kInt64, 8},
    {0x46, Basic::kMixed, 2},
    {0x47, Basic::kInt8, 1},
    {0x48, Basic::kInt16, 2},
    {0x49, Basic::kInt32, 4},
    {0x4a, Basic::kInt64, 8},
    {0x4b, Basic::kMixed, 16},
};

template <class Value>
struct Pair {
  Value value;
  int location;
};

template <class Value>
Datatype pair_type(Basic basic) {
  using P = Pair<Value>;
  Datatype type;
  type.size = sizeof(Value) + sizeof(int);
  type.extent = sizeof(P);
  type.true_extent = offsetof(P, location) + sizeof(int);
  type.basic = basic;
  type.basic_size = static_cast<std::int32_t>(type.size);
  type.items = {{sizeof(Value), 1}, {sizeof(int), 1}};
  type.contiguous = type.size == type.extent;
  if (!type.contiguous) {
    type.segments = {{0, sizeof(Value)}, {offsetof(P, location), sizeof(int)}};
  }
  return type;
}

struct Registry {
  std::array<Datatype, 256> builtin;
  std::array<Datatype, kFirstDerived> pairs;
  std::vector<std::unique_ptr<Datatype>> derived;
  std::vector<std::unique_ptr<Datatype>> orphans;  // handle gone, requests still hold them

  Registry() {
    for (const Predefined& entry : kPredefined) {
      Datatype& type = builtin[entry.number];
      type.size = type.extent = type.true_extent = entry.size;
      type.basic = entry.basic;
      type.basic_size = entry.size;
      type.handle = static_cast<std::int32_t>(kBuiltin | entry.size << 8 | entry.number);
    }
    for (const std::uint8_t pair : {0x16, 0x20, 0x21, 0x23}) {  // MPI_2INT and its like in Fortran
      builtin[pair].items = {{builtin[pair].size / 2, 2}};
    }
    for (const std::uint8_t marker : {0x10, 0x11}) {  // MPI_LB and MPI_UB have no size
      builtin[marker].handle = static_cast<std::int32_t>(kBuiltin | marker);
    }
    pairs[0] = pair_type<float>(Basic::kFloatInt);
    pairs[1] = pair_type<double>(Basic::kDoubleInt);
    pairs[2] = pair_type<long>(Basic::kLongInt);
    pairs[3] = pair_type<short>(Basic::kShortInt);
    pairs[4] = pair_type<long double>(Basic::kLongDoubleInt);
    for (std::uint32_t i = 0; i < 5; ++i) pairs[i].handle = static_cast<std::int32_t>(kDynamic | i);
  }
};
Registry registry;

template <bool kPacking>
void move_segments(const Datatype& type, char* packed, std::int64_t bytes, char* buffer) {
  for (char* element = buffer; bytes > 0; element += type.extent) {
    for (const Segment& segment : type.segments) {
      const std::int64_t length = segment.length < bytes ? segment.length : bytes;
      if (kPacking) {
        std::memcpy(packed, element + segment.offset, length);
      } else {
        std::memcpy(element + segment.offset, packed, length);
      }
      packed += length;
      bytes -= length;
      if (bytes == 0) return;
    }
  }
}

}  // namespace

const Datatype* find_datatype(std::int32_t handle) {
  const auto bits = static_cast<std::uint32_t>(handle);
  if ((bits & kKindMask) == kBuiltin) {
    const Datatype& type = registry.builtin[bits & 0xff];
    return type.handle == handle ? &type : nullptr;
  }
  if ((bits & kKindMask) != kDynamic) return nullptr;
  const std::uint32_t index = bits & kIndexMask;
  if (index < 5) return &registry.pairs[index];
  if (index < kFirstDerived || index - kFirstDerived >= registry.derived.size()) return nullptr;
  return registry.derived[index - kFirstDerived].get();
}

std::int32_t add_datatype(Datatype type) {
  const auto index = static_cast<std::uint32_t>(registry.derived.size());
  type.handle = static_cast<std::int32_t>(kDynamic | (index + kFirstDerived));
  type.references = 1;
  registry.derived.push_back(std::make_unique<Datatype>(std::move(type)));
  return registry.derived.back()->handle;
}

void hold_datatype(const Datatype& type) {
  if (type.references > 0) ++const_cast<Datatype&>(type).references;
}

void release_datatype(const Datatype& type) {
  if (type.references == 0 || --const_cast<Datatype&>(type).references > 0) return;
  std::erase_if(registry.orphans, [&](const auto& orphan) { return orphan.get() == &type; });
}

void remove_datatype(std::int32_t handle) {
  const Datatype* type = find_datatype(handle);
  if (!type || type->references == 0) return;
  auto& slot = registry.derived[(static_cast<std::uint32_t>(handle) & kIndexMask) - kFirstDerived];
  registry.orphans.push_back(std::move(slot));
  release_datatype(*type);
}

void end_datatypes() {
  registry.derived.clear();
  registry.orphans.clear();
}

void pack(const Datatype& type, const void* buffer, std::int64_t count, void* packed) {
  if (type.size == 0 || count == 0) return;
  if (type.contiguous) {
    std::memcpy(packed, buffer, type.size * count);
  } else {
    move_segments<true>(type, static_cast<char*>(packed), type.size * count,
                        static_cast<char*>(const_cast<void*>(buffer)));
  }
}

void unpack(const Datatype& type, const void* packed, std::int64_t bytes, void* buffer) {
  if (bytes == 0) return;
  if (type.contiguous) {
    std::memcpy(buffer, packed, bytes);
  } else {
    move_segments<false>(type, static_cast<char*>(const_cast<void*>(packed)), bytes, static_cast<char*>(buffer));
  }
}

}  // namespace pysmpi
