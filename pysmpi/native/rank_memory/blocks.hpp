// A heap for the memory of suspended ranks: blocks of some kilobytes, which are allocated and freed millions of times
// in any order. In the C library's heap, the program's own allocations would split a freed block. The block would then
// be too short when the rank is suspended again.
//
// Adjacent free blocks are merged, and the shortest sufficient block is used (Knuth, The Art of Computer Programming,
// vol. 1, section 2.5, boundary tags). The tags are stored apart from the blocks.
//
// Example in units of 64 bytes: after take(2), take(3), take(1) the blocks begin at units 0, 2 and 5. Freeing the first
// and then the second one leaves a free block of 5 units at unit 0. take(4) uses its first 4 units.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pysmpi {

// The GIL must be held. Long-lived and short-lived blocks belong in different heaps, because a long-lived block
// prevents the free blocks around it from being merged.
class BlockHeap {
 public:
  static constexpr std::size_t kLongest = 8192;  // bytes

  // Allocates a block of `bytes` bytes, at most kLongest. Returns null if address space is exhausted.
  void* take(std::size_t bytes);
  void give_back(void* block);

  // Returns the bytes of the block that begins at this address, or 0 if it does not belong to this heap.
  std::size_t length(const void* block) const;

 private:
  static constexpr std::size_t kUnit = 64;  // bytes; all lengths are multiples of it
  static constexpr std::size_t kMapping =
      64 * 1024 * 1024;  // bytes; large, since a process has at most 65,530 mappings
  static constexpr std::size_t kUnits = kMapping / kUnit;
  static constexpr std::size_t kMost = 255;  // units of the longest free block; blocks are not merged beyond it

  struct Free {
    Free *next, *previous;
  };
  struct Mapping {  // lies in a separate zeroed mapping, of which only pages that are written take memory
    std::byte* begin;
    std::size_t used;  // units that have been divided into blocks
    // For each unit: the length of the block that begins at the unit (`starts`), and of the free block that ends with
    // the unit (`ends`). Lengths are in units; 0 means that no block begins or ends there.
    std::array<std::uint8_t, kUnits> starts, ends;
    bool is_free(std::size_t unit) const { return starts[unit] > 0 && ends[unit + starts[unit] - 1] > 0; }
    Free* at(std::size_t unit) const { return reinterpret_cast<Free*>(begin + unit * kUnit); }
  };

  Mapping* mapping_of(const void* block) const;
  bool map_more();
  static std::size_t unit_of(const Mapping& mapping, const void* block) {
    return static_cast<std::size_t>(static_cast<const std::byte*>(block) - mapping.begin) / kUnit;
  }
  void add_free(Mapping& mapping, std::size_t unit, std::size_t units);
  void remove_free(Mapping& mapping, std::size_t unit);

  std::vector<Mapping*> mappings_;  // ordered by address
  Mapping* latest_ = nullptr;
  std::array<Free*, kMost + 1> free_{};     // free lists by length in units
  std::array<std::uint64_t, 4> present_{};  // bit n: the list for n units is not empty
};

}  // namespace pysmpi
