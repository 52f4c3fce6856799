// Folded arrays with private zones: parts whose contents do matter, such as the pivots at the end of a panel. Each has
// addresses of its own; what lies between its zones is folded. Moving bytes moves those of private zones only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace pysmpi {

extern std::uintptr_t zoned_begin, zoned_length;  // what all such arrays lie in; empty while there are none

inline bool may_have_zones(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) - zoned_begin < zoned_length;
}

// As memmove, but for bytes that are folded at either end.
void move_unfolded(void* to, const void* from, std::size_t bytes);

inline void move_bytes(void* to, const void* from, std::size_t bytes) {
  if (may_have_zones(to) || may_have_zones(from)) {
    move_unfolded(to, from, bytes);
  } else {
    std::memmove(to, from, bytes);
  }
}

}  // namespace pysmpi
