// Folded memory: one address range that aliases a small block, for arrays whose contents do not matter. Bytes to or
// from it are never copied. Arrays parts of which do matter: rank_memory/zones.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pysmpi {

extern std::uintptr_t folded_begin, folded_length;  // an empty range until it is first needed

inline bool is_folded(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) - folded_begin < folded_length;
}

// Makes the range at least so long, where it is; false when the address space or the kernel's memory does not suffice.
bool extend_folded(std::uint64_t bytes);

// While this lives, folded memory is a range of addresses that no process has: simulations without data name places in
// it, as far from its begin as they like, and nothing is ever read or written there.
class AbsentMemory {
 public:
  AbsentMemory();
  AbsentMemory(const AbsentMemory&) = delete;
  ~AbsentMemory();

 private:
  const std::uintptr_t begin_, length_;  // of the range that was
};

// From here on the block lies on ordinary pages; false when it does already, or there are none. What arrays map of the
// huge ones stays as it is.
bool leave_huge_pages();

// Maps the block over [start, start + bytes) of somebody's address space, in `pieces` at most; both ends lie on pages.
bool map_block(std::uintptr_t start, std::uint64_t bytes, std::uint64_t pieces);
std::uint64_t folded_page();  // bytes; of huge pages where the block lies on them

}  // namespace pysmpi
