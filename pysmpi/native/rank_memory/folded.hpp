// Folded memory: one address range in which a small block repeats, for arrays whose contents do not matter. Its bytes
// are never copied. rank_memory/zones.hpp provides arrays of which some parts do matter.
//
// Example: the block has 1 MiB and the range 3 MiB. The addresses begin + 100, begin + 1 MiB + 100 and
// begin + 2 MiB + 100 refer to the same byte of physical memory. All folded arrays start at `begin`, so an array of
// 3 MiB and another one of 2 MiB overlap completely; together they take 1 MiB.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pysmpi {

extern std::uintptr_t folded_begin, folded_length;  // an empty range until first use

inline bool is_folded(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) - folded_begin < folded_length;
}

// Extends the range to at least `bytes` bytes without moving it. Returns false if address space or kernel memory is
// exhausted.
bool extend_folded(std::uint64_t bytes);

// While an object of this class exists, the folded range consists of addresses outside user space. Simulations
// without data use such addresses, at any distance from the start of the range; nothing is read or written there.
class AbsentMemory {
 public:
  AbsentMemory();
  AbsentMemory(const AbsentMemory&) = delete;
  ~AbsentMemory();

 private:
  const std::uintptr_t begin_, length_;  // the folded range before this object existed
};

// Moves the block to ordinary pages. Returns false if the block already uses ordinary pages, or if the change fails.
// Arrays with private zones keep their mappings of huge pages.
bool leave_huge_pages();

// Maps the block over [start, start + bytes) in at most `pieces` pieces. Both ends must lie on page boundaries.
bool map_block(std::uintptr_t start, std::uint64_t bytes, std::uint64_t pieces);
std::uint64_t folded_page();  // bytes of a page; of a huge page if the block uses them

}  // namespace pysmpi
