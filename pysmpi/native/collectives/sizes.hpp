// Units of message sizes, and powers of two among numbers of ranks.
#pragma once

#include <bit>
#include <cstdint>

namespace pysmpi {

inline constexpr std::int64_t kKiB = 1024, kMiB = 1024 * kKiB;

constexpr bool is_power_of_two(std::int32_t ranks) { return (ranks & (ranks - 1)) == 0; }

// Returns the largest power of two that is not above the number of ranks.
constexpr std::int32_t power_of_two_up_to(std::int32_t ranks) {
  return static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(ranks)));
}

}  // namespace pysmpi
