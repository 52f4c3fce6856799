// The table of predefined handles. PYSMPI_PREDEFINED of each ABI lists them grouped by type; of those with the same
// number, functions return the first.
#pragma once

#include <cstddef>
#include <iterator>

#include PYSMPI_ABI_HEADER
#include "abi/handles.hpp"

namespace pysmpi::abi {

struct Predefined {
  const char* type;  // of its handle
  int number;
};

#define PYSMPI_ENTRY(Handle, number, place) {#Handle, number},
inline constexpr Predefined kPredefined[] = {PYSMPI_PREDEFINED(PYSMPI_ENTRY)};

constexpr bool equal(const char* a, const char* b) {
  while (*a && *a == *b) ++a, ++b;
  return *a == *b;
}

// Return the index of the first entry of a type.
constexpr std::size_t first_of(const char* type) {
  std::size_t entry = 0;
  while (entry < std::size(kPredefined) && !equal(kPredefined[entry].type, type)) ++entry;
  return entry;
}

constexpr std::size_t end_of(const char* type) {
  std::size_t entry = first_of(type);
  while (entry < std::size(kPredefined) && equal(kPredefined[entry].type, type)) ++entry;
  return entry;
}

// Define predefined<Handle>(number) by pointer_of(index of an entry), which the including file defines.
#define PYSMPI_DEFINE_PREDEFINED(Handle)                                                           \
  template <>                                                                                      \
  Handle predefined<Handle>(int number) {                                                          \
    constexpr std::size_t kBegin = first_of(#Handle), kEnd = end_of(#Handle);                      \
    for (std::size_t entry = kBegin; entry < kEnd; ++entry) {                                      \
      if (kPredefined[entry].number == number) return reinterpret_cast<Handle>(pointer_of(entry)); \
    }                                                                                              \
    return nullptr;                                                                                \
  }

}  // namespace pysmpi::abi
