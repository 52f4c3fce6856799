// Folded memory: one address range that aliases a small block, for arrays whose contents do not matter. Bytes to or
// from it are never copied.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pysmpi {

extern std::uintptr_t folded_begin, folded_end;  // empty range until reserved

inline bool is_folded(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return at >= folded_begin && at < folded_end;
}

}  // namespace pysmpi
