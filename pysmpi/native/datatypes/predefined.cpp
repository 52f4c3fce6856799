// Tables of the predefined datatypes.
#include "datatypes/predefined.hpp"

#include <array>
#include <cstring>
#include <string>

namespace pysmpi {
namespace {

constexpr Predefined item(std::uint8_t number, const char* name, Basic basic, std::uint8_t size, External external,
                          std::uint8_t external_size) {
  return {number, name, basic, size, size, external, external_size, 1, 1};
}

constexpr Predefined bytes(std::uint8_t number, const char* name, Basic basic) {
  return item(number, name, basic, 1, External::kBytes, 1);
}

constexpr Predefined integer(std::uint8_t number, const char* name, Basic basic, std::uint8_t size,
                             std::uint8_t external_size) {
  return item(number, name, basic, size, External::kInteger, external_size);
}

constexpr Predefined natural(std::uint8_t number, const char* name, Basic basic, std::uint8_t size,
                             std::uint8_t external_size) {
  return item(number, name, basic, size, External::kUnsigned, external_size);
}

constexpr Predefined floating(std::uint8_t number, const char* name, Basic basic, std::uint8_t size) {
  return item(number, name, basic, size, External::kFloating, size);
}

constexpr Predefined complex(std::uint8_t number, const char* name, Basic basic, std::uint8_t size) {
  const std::uint8_t part = size / 2;
  return {number, name, basic, size, part, External::kFloating, part, 2, 1};
}

constexpr Predefined twice(std::uint8_t number, const char* name, Basic basic, std::uint8_t size, External external) {
  const std::uint8_t part = size / 2;
  return {number, name, basic, size, part, external, part, 2, 2};
}

using enum Basic;

constexpr auto kPredefinedTypes = std::to_array<Predefined>({
    bytes(0x01, "MPI_CHAR", kInt8),
    bytes(0x02, "MPI_UNSIGNED_CHAR", kUint8),
    integer(0x03, "MPI_SHORT", kInt16, 2, 2),
    natural(0x04, "MPI_UNSIGNED_SHORT", kUint16, 2, 2),
    integer(0x05, "MPI_INT", kInt32, 4, 4),
    natural(0x06, "MPI_UNSIGNED", kUint32, 4, 4),
    integer(0x07, "MPI_LONG", kInt64, 8, 4),
    natural(0x08, "MPI_UNSIGNED_LONG", kUint64, 8, 4),
    integer(0x09, "MPI_LONG_LONG_INT", kInt64, 8, 8),
    floating(0x0a, "MPI_FLOAT", kFloat, 4),
    floating(0x0b, "MPI_DOUBLE", kDouble, 8),
    floating(0x0c, "MPI_LONG_DOUBLE", kLongDouble, 16),
    bytes(0x0d, "MPI_BYTE", kByte),
    natural(0x0e, "MPI_WCHAR", kInt32, 4, 2),
    bytes(0x0f, "MPI_PACKED", kByte),
    twice(0x16, "MPI_2INT", kTwoInt, 8, External::kInteger),
    bytes(0x18, "MPI_SIGNED_CHAR", kInt8),
    natural(0x19, "MPI_UNSIGNED_LONG_LONG", kUint64, 8, 8),
    bytes(0x1a, "MPI_CHARACTER", kInt8),
    integer(0x1b, "MPI_INTEGER", kInt32, 4, 4),
    floating(0x1c, "MPI_REAL", kFloat, 4),
    integer(0x1d, "MPI_LOGICAL", kInt32, 4, 4),
    complex(0x1e, "MPI_COMPLEX", kComplexFloat, 8),
    floating(0x1f, "MPI_DOUBLE_PRECISION", kDouble, 8),
    twice(0x20, "MPI_2INTEGER", kTwoInt, 8, External::kInteger),
    twice(0x21, "MPI_2REAL", kTwoFloat, 8, External::kFloating),
    complex(0x22, "MPI_DOUBLE_COMPLEX", kComplexDouble, 16),
    twice(0x23, "MPI_2DOUBLE_PRECISION", kTwoDouble, 16, External::kFloating),
    floating(0x26, "MPI_REAL2", kHalf, 2),
    floating(0x27, "MPI_REAL4", kFloat, 4),
    complex(0x28, "MPI_COMPLEX8", kComplexFloat, 8),
    floating(0x29, "MPI_REAL8", kDouble, 8),
    complex(0x2a, "MPI_COMPLEX16", kComplexDouble, 16),
    floating(0x2b, "MPI_REAL16", kQuadruple, 16),
    complex(0x2c, "MPI_COMPLEX32", kComplexQuadruple, 32),
    integer(0x2d, "MPI_INTEGER1", kInt8, 1, 1),
    complex(0x2e, "MPI_COMPLEX4", kComplexHalf, 4),
    integer(0x2f, "MPI_INTEGER2", kInt16, 2, 2),
    integer(0x30, "MPI_INTEGER4", kInt32, 4, 4),
    integer(0x31, "MPI_INTEGER8", kInt64, 8, 8),
    integer(0x32, "MPI_INTEGER16", kInt128, 16, 16),
    bytes(0x33, "MPI_CXX_BOOL", kBool),
    complex(0x34, "MPI_CXX_FLOAT_COMPLEX", kComplexFloat, 8),
    complex(0x35, "MPI_CXX_DOUBLE_COMPLEX", kComplexDouble, 16),
    complex(0x36, "MPI_CXX_LONG_DOUBLE_COMPLEX", kComplexLongDouble, 32),
    integer(0x37, "MPI_INT8_T", kInt8, 1, 1),
    integer(0x38, "MPI_INT16_T", kInt16, 2, 2),
    integer(0x39, "MPI_INT32_T", kInt32, 4, 4),
    integer(0x3a, "MPI_INT64_T", kInt64, 8, 8),
    natural(0x3b, "MPI_UINT8_T", kUint8, 1, 1),
    natural(0x3c, "MPI_UINT16_T", kUint16, 2, 2),
    natural(0x3d, "MPI_UINT32_T", kUint32, 4, 4),
    natural(0x3e, "MPI_UINT64_T", kUint64, 8, 8),
    bytes(0x3f, "MPI_C_BOOL", kBool),
    complex(0x40, "MPI_C_FLOAT_COMPLEX", kComplexFloat, 8),
    complex(0x41, "MPI_C_DOUBLE_COMPLEX", kComplexDouble, 16),
    complex(0x42, "MPI_C_LONG_DOUBLE_COMPLEX", kComplexLongDouble, 32),
    integer(0x43, "MPI_AINT", kInt64, 8, 8),
    integer(0x44, "MPI_OFFSET", kInt64, 8, 8),
    integer(0x45, "MPI_COUNT", kInt64, 8, 8),
    floating(0x46, "MPIX_C_FLOAT16", kHalf, 2),
    integer(0x47, "MPI_LOGICAL1", kInt8, 1, 1),
    integer(0x48, "MPI_LOGICAL2", kInt16, 2, 2),
    integer(0x49, "MPI_LOGICAL4", kInt32, 4, 4),
    integer(0x4a, "MPI_LOGICAL8", kInt64, 8, 8),
    integer(0x4b, "MPI_LOGICAL16", kInt128, 16, 16),
});

// The pairs in the order of their handles.
constexpr auto kPairs = std::to_array<PredefinedPair>({
    {"MPI_FLOAT_INT", 0x0a, kFloatInt},
    {"MPI_DOUBLE_INT", 0x0b, kDoubleInt},
    {"MPI_LONG_INT", 0x07, kLongInt},
    {"MPI_SHORT_INT", 0x03, kShortInt},
    {"MPI_LONG_DOUBLE_INT", 0x0c, kLongDoubleInt},
});

constexpr std::uint8_t kInt = 0x05, kTwoInts = 0x16;

std::int32_t handle_named(const std::string& name) {
  for (const Predefined& type : kPredefinedTypes) {
    if (name == type.name) return builtin_handle(type.number, type.size);
  }
  return kDatatypeNull;
}

}  // namespace

std::span<const Predefined> predefined_types() { return kPredefinedTypes; }

const Predefined& predefined_type(std::uint8_t number) {
  static const auto places = [] {
    std::array<const Predefined*, 256> by_number{};
    for (const Predefined& type : kPredefinedTypes) by_number[type.number] = &type;
    return by_number;
  }();
  return *places[number];
}

std::span<const PredefinedPair> predefined_pairs() { return kPairs; }

const char* predefined_name(std::int32_t handle) {
  if (handle == builtin_handle(kLowerBoundMarker, 0)) return "MPI_LB";
  if (handle == builtin_handle(kUpperBoundMarker, 0)) return "MPI_UB";
  for (const Predefined& type : kPredefinedTypes) {
    if (handle == builtin_handle(type.number, type.size)) return type.name;
  }
  for (std::size_t i = 0; i < kPairs.size(); ++i) {
    if (handle == pair_handle(static_cast<std::uint32_t>(i))) return kPairs[i].name;
  }
  return nullptr;
}

std::int32_t sized_type(int type_class, int size) {
  constexpr const char* kFamilies[] = {"MPI_REAL", "MPI_INTEGER", "MPI_COMPLEX"};
  if (type_class < 1 || type_class > 3) return kDatatypeNull;
  return handle_named(kFamilies[type_class - 1] + std::to_string(size));
}

std::int32_t pair_of(std::int32_t value, std::int32_t index) {
  if (index != builtin_handle(kInt, 4)) return kDatatypeNull;
  if (value == index) return builtin_handle(kTwoInts, 8);
  for (std::size_t i = 0; i < kPairs.size(); ++i) {
    const Predefined& type = predefined_type(kPairs[i].value);
    if (value == builtin_handle(type.number, type.size)) return pair_handle(static_cast<std::uint32_t>(i));
  }
  return kDatatypeNull;
}

}  // namespace pysmpi
