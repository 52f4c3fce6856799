// Memory of suspended ranks: blocks of some kilobytes, which come and go in any order a million times over. They have a
// heap of their own: in that of the C library, what a rank gives back as it goes on is cut into pieces for whatever its
// program allocates meanwhile, and is too short when the rank is suspended again.
//
// Blocks next to each other that are free become one, and the shortest that is long enough is taken (Knuth, The Art of
// Computer Programming, vol. 1, section 2.5, boundary tags). What is known of blocks lies apart from them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pysmpi {

// With the GIL held. What stays and what comes and goes are better kept in two of them: what stays between two free
// blocks keeps them apart.
class Blocks {
 public:
  static constexpr std::size_t kLongest = 8192;  // bytes

  // At most kLongest bytes. Null when there is no more address space.
  void* take(std::size_t bytes);
  void give_back(void* block);

  // Bytes of the block that begins here; 0 when it is none of these.
  std::size_t length(const void* block) const;

 private:
  static constexpr std::size_t kUnit = 64;                   // bytes: lengths are multiples of it
  static constexpr std::size_t kMapping = 64 * 1024 * 1024;  // bytes: a process has 65,530 mappings at most
  static constexpr std::size_t kUnits = kMapping / kUnit;
  static constexpr std::size_t kMost = 255;  // units of a free block: joined ones are no longer

  struct Free {
    Free *next, *previous;
  };
  struct Mapping {  // in zeroed memory of its own, of which only what is written is there
    std::byte* begin;
    std::size_t used;  // units: behind them no block has been made yet
    // Units of the block that begins at a unit, and of the free one that ends there; 0: none does.
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

  std::vector<Mapping*> mappings_;  // by address
  Mapping* latest_ = nullptr;
  std::array<Free*, kMost + 1> free_{};     // by units
  std::array<std::uint64_t, 4> present_{};  // by units, a bit: there are such
};

}  // namespace pysmpi
