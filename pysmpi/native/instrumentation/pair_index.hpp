// Row numbers for pairs of integers, in the order in which the pairs were first seen: a flat hash table that allocates
// only when it grows.
#pragma once

#include <cstdint>
#include <vector>

namespace pysmpi {

class PairIndex {
 public:
  // Return the row of the pair, from 0. A new pair gets the next row.
  std::uint32_t row(std::uint32_t first, std::uint32_t second) {
    if ((keys_.size() + 1) * 2 > places_.size()) grow();
    const std::uint64_t key = std::uint64_t{first} << 32 | second;
    std::uint32_t& place = places_[place_of(key)];
    if (place == 0) {
      keys_.push_back(key);
      place = static_cast<std::uint32_t>(keys_.size());
    }
    return place - 1;
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(keys_.size()); }
  std::uint32_t first(std::uint32_t row) const { return static_cast<std::uint32_t>(keys_[row] >> 32); }
  std::uint32_t second(std::uint32_t row) const { return static_cast<std::uint32_t>(keys_[row]); }

 private:
  // The position of the key, or the free position for it (linear probing; Fibonacci hashing, Knuth volume 3, section
  // 6.4).
  std::size_t place_of(std::uint64_t key) const {
    std::size_t at = (key * 0x9e3779b97f4a7c15U) >> shift_;
    while (places_[at] != 0 && keys_[places_[at] - 1] != key) at = (at + 1) & (places_.size() - 1);
    return at;
  }

  void grow() {
    --shift_;
    places_.assign(std::size_t{1} << (64 - shift_), 0);
    for (std::uint32_t row = 0; row < keys_.size(); ++row) places_[place_of(keys_[row])] = row + 1;
  }

  std::vector<std::uint64_t> keys_;  // pair of each row
  // The row number plus 1 at each hash position; 0 for a free position.
  std::vector<std::uint32_t> places_ = std::vector<std::uint32_t>(64, 0);
  int shift_ = 58;
};

}  // namespace pysmpi
