// Numbering of the pairs (low, high) of items, with low < high, in lexicographic order from 0. Of 4 items, (1, 3) is
// pair number 4.
#pragma once

#include <algorithm>
#include <cstdint>

namespace pysmpi {

struct Pair {
  std::uint32_t low, high;
};

inline std::uint32_t pair_count(std::uint32_t things) {
  return static_cast<std::uint32_t>(std::uint64_t{things} * (things - 1) / 2);
}

inline std::uint32_t pair_number(std::uint32_t one, std::uint32_t other, std::uint32_t things) {
  const std::uint64_t low = std::min(one, other);
  const std::uint64_t high = std::max(one, other);
  return static_cast<std::uint32_t>(low * (2 * std::uint64_t{things} - low - 1) / 2 + high - low - 1);
}

inline Pair pair_at(std::uint32_t number, std::uint32_t things) {
  std::uint32_t low = 0;
  while (number >= things - 1 - low) number -= things - 1 - low++;
  return {low, low + 1 + number};
}

}  // namespace pysmpi
