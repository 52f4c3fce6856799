// Folded arrays with private zones: parts whose contents matter, such as the pivots at the end of a panel. Each array
// has addresses of its own; only the memory between its zones is folded. Copies move only bytes in private zones.
//
// Example: an array of 12 KiB with the private zone [4096, 8192). Bytes 4096 to 8191 are ordinary memory. The first and
// the last 4 KiB are pages of the folded block; copying the array copies 4 KiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace pysmpi {

extern std::uintptr_t zoned_begin, zoned_length;  // range that contains all such arrays; empty if there are none

inline bool may_have_zones(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) - zoned_begin < zoned_length;
}

// Copies bytes as memmove does, but skips bytes that are folded in the source or the destination.
void move_unfolded(void* to, const void* from, std::size_t bytes);

inline void move_bytes(void* to, const void* from, std::size_t bytes) {
  if (may_have_zones(to) || may_have_zones(from)) {
    move_unfolded(to, from, bytes);
  } else {
    std::memmove(to, from, bytes);
  }
}

}  // namespace pysmpi
