// A hash table from pairs of numbers to a number, in one flat array with linear probing (Knuth, TAOCP 3, 6.4).
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace pysmpi {

class PairTable {
 public:
  // Return the pair's number, or kNone.
  std::uint32_t find(std::uint32_t first, std::uint32_t second) const {
    if (slots_.empty()) return kNone;
    return slots_[place_of(key_of(first, second))].number;
  }

  // Add a pair that is not in the table.
  void add(std::uint32_t first, std::uint32_t second, std::uint32_t number) {
    if (2 * ++count_ > slots_.size()) grow();
    const std::uint64_t key = key_of(first, second);
    slots_[place_of(key)] = {key, number};
  }

  // Remove a pair that is in the table. A search ends at the first free slot, so pairs after the removed one, up to the
  // next free slot, are moved into the gap if a search would otherwise miss them.
  void remove(std::uint32_t first, std::uint32_t second) {
    --count_;
    const std::size_t mask = slots_.size() - 1;
    std::size_t gap = place_of(key_of(first, second));
    for (std::size_t at = (gap + 1) & mask; slots_[at].number != kNone; at = (at + 1) & mask) {
      const std::size_t home = mix(slots_[at].key) & mask;
      if (((at - home) & mask) < ((at - gap) & mask)) continue;
      slots_[gap] = slots_[at];
      gap = at;
    }
    slots_[gap] = {};
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t number = kNone;  // kNone if the slot is free
  };
  static constexpr std::size_t kLeast = 64;

  static std::uint64_t key_of(std::uint32_t first, std::uint32_t second) { return std::uint64_t{first} << 32 | second; }
  static std::uint64_t mix(std::uint64_t key) {
    key *= 0x9E3779B97F4A7C15U;  // 2^64 divided by the golden ratio
    return key ^ key >> 29;
  }

  // Return the slot of the key, or the free slot where it would be.
  std::size_t place_of(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = mix(key) & mask;
    while (slots_[at].number != kNone && slots_[at].key != key) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Slot> before(slots_.empty() ? kLeast : 2 * slots_.size());
    before.swap(slots_);
    for (const Slot& slot : before) {
      if (slot.number != kNone) slots_[place_of(slot.key)] = slot;
    }
  }

  std::vector<Slot> slots_;  // their number is a power of two
  std::size_t count_ = 0;
};

}  // namespace pysmpi
