// Conversion of numbers between their native form and external32.
#include "datatypes/external32.hpp"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cstring>

#include "datatypes/predefined.hpp"

namespace pysmpi {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::int64_t kQuadrupleBytes = 16;  // bytes of a binary128

// Convert between C's long double and binary128, both little-endian.
void quadruple_from_native(const char* native, char* quadruple) {
#if LDBL_MANT_DIG == 64
  long double value;
  std::memcpy(&value, native, sizeof value);
  const __float128 wide = value;
  std::memcpy(quadruple, &wide, sizeof wide);
#else
  std::memcpy(quadruple, native, kQuadrupleBytes);
#endif
}

void native_from_quadruple(const char* quadruple, char* native) {
#if LDBL_MANT_DIG == 64
  __float128 wide;
  std::memcpy(&wide, quadruple, sizeof wide);
  const long double value = static_cast<long double>(wide);
  std::memset(native, 0, sizeof value);
  std::memcpy(native, &value, 10);  // the remaining bytes are padding
#else
  std::memcpy(native, quadruple, kQuadrupleBytes);
#endif
}

// Converts a little-endian integer to another length: truncates it, or extends it by sign or zeros. Returns false if
// significant bytes are lost.
bool resize_integer(const char* from, std::int64_t from_size, bool has_sign, char* to, std::int64_t to_size) {
  const bool negative = has_sign && (from[std::min(from_size, to_size) - 1] & 0x80) != 0;
  const char rest = negative ? '\xff' : '\0';
  std::memcpy(to, from, std::min(from_size, to_size));
  if (to_size > from_size) std::memset(to + from_size, rest, to_size - from_size);
  return std::all_of(from + std::min(from_size, to_size), from + from_size, [rest](char byte) { return byte == rest; });
}

bool is_long_double(const Predefined& item) {
  return item.basic == Basic::kLongDouble || item.basic == Basic::kComplexLongDouble;
}

// Converts one part of an item; a complex number or a pair of equal types has two parts. Returns false if the number is
// out of range.
bool part_to_external(const Predefined& item, const char* native, std::int64_t size, char* external) {
  char little[kQuadrupleBytes];
  bool fits = true;
  if (item.external == External::kBytes) {
    *external = *native;
    return true;
  }
  if (is_long_double(item)) {
    quadruple_from_native(native, little);
  } else {
    fits = resize_integer(native, size, item.external == External::kInteger, little, item.external_size);
  }
  std::reverse_copy(little, little + item.external_size, external);
  return fits;
}

bool part_from_external(const Predefined& item, const char* external, std::int64_t size, char* native) {
  char little[kQuadrupleBytes];
  if (item.external == External::kBytes) {
    *native = *external;
    return true;
  }
  std::reverse_copy(external, external + item.external_size, little);
  if (is_long_double(item)) {
    native_from_quadruple(little, native);
    return true;
  }
  return resize_integer(little, item.external_size, item.external == External::kInteger, native, size);
}

// Converts one element with this signature between its packed form and external32, and moves both pointers behind it.
// Returns false if a number is out of range.
template <bool kToExternal, class Native, class Other>
bool convert(const Signature& signature, Native*& native, Other*& external) {
  bool fits = true;
  for (const Run& run : signature) {
    for (std::int64_t i = 0; i < run.count; ++i) {
      if (run.nested) {
        fits &= convert<kToExternal>(*run.nested, native, external);
        continue;
      }
      const Predefined& item = *run.item;
      const std::int64_t size = item.size / item.parts;
      for (int part = 0; part < item.parts; ++part) {
        if constexpr (kToExternal) {
          fits &= part_to_external(item, native, size, external);
        } else {
          fits &= part_from_external(item, external, size, native);
        }
        native += size;
        external += item.external_size;
      }
    }
  }
  return fits;
}

std::int64_t external_size(const Signature& signature) {
  std::int64_t bytes = 0;
  for (const Run& run : signature) {
    bytes += run.count * (run.nested ? external_size(*run.nested) : run.item->parts * run.item->external_size);
  }
  return bytes;
}

}  // namespace

std::int64_t external_size(const Datatype& type) { return external_size(*type.signature); }

bool to_external(const Datatype& type, const char* packed, std::int64_t count, char* external) {
  bool fits = true;
  for (std::int64_t i = 0; i < count; ++i) fits &= convert<true>(*type.signature, packed, external);
  return fits;
}

bool from_external(const Datatype& type, const char* external, std::int64_t count, char* packed) {
  bool fits = true;
  for (std::int64_t i = 0; i < count; ++i) fits &= convert<false>(*type.signature, packed, external);
  return fits;
}

}  // namespace pysmpi
