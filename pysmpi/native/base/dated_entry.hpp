// A dated event of a numbered thing (a flow, a host, a disk) as one number, so that which of two comes first is one
// comparison without branches: by time, then by sequence (up to 2^38), and below these the item's number (up to 2^26).
#pragma once

#include <bit>
#include <cstdint>

#include "base/types.hpp"

namespace pysmpi {

__extension__ using DatedEntry = unsigned __int128;

inline constexpr int kDatedItemBits = 26, kDatingBits = 38;
inline constexpr std::uint32_t kMostDatedItems = std::uint32_t{1} << kDatedItemBits;

// So many are too many: far enough from the last sequence for that to be looked at from time to time only.
inline constexpr std::uint64_t kManyDatings = std::uint64_t{1} << (kDatingBits - 1);
inline constexpr char kTooManyDatings[] = "more than 2^37 changes of events";

// Times are not negative, and so their bits are in the order of the times.
inline constexpr DatedEntry dated_entry(double time, std::uint64_t sequence, std::uint32_t item) {
  return DatedEntry{std::bit_cast<std::uint64_t>(time)} << 64 | sequence << kDatedItemBits | item;
}

// It comes after all others.
inline constexpr DatedEntry kUndated = dated_entry(kNever, 0, 0);

inline double time_of(DatedEntry entry) { return std::bit_cast<double>(static_cast<std::uint64_t>(entry >> 64)); }
inline std::uint32_t item_of(DatedEntry entry) { return static_cast<std::uint32_t>(entry) & (kMostDatedItems - 1); }

}  // namespace pysmpi
