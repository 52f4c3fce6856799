// An event of a numbered item (a flow, host or disk): its time, sequence number (38 bits) and item (26 bits), encoded
// in one 128-bit number. A single comparison without branches then orders events by time, then by sequence number, then
// by item.
#pragma once

#include <bit>
#include <cstdint>

#include "base/types.hpp"

namespace pysmpi {

__extension__ using DatedEntry = unsigned __int128;

inline constexpr int kDatedItemBits = 26, kDatingBits = 38;
inline constexpr std::uint32_t kMostDatedItems = std::uint32_t{1} << kDatedItemBits;

// A queue whose sequence numbers reach this limit counts as exhausted, and the simulation ends with an error. The limit
// is half of the representable numbers, so the check need not be made at every event.
inline constexpr std::uint64_t kManyDatings = std::uint64_t{1} << (kDatingBits - 1);
inline constexpr char kTooManyDatings[] =
    "more than 2^37 changes of event dates; the engine cannot number more of them";

// Times are not negative, so comparing their bit patterns as integers orders them.
inline constexpr DatedEntry dated_entry(double time, std::uint64_t sequence, std::uint32_t item) {
  return DatedEntry{std::bit_cast<std::uint64_t>(time)} << 64 | sequence << kDatedItemBits | item;
}

// Entry of an item without an event; it comes after all entries of events.
inline constexpr DatedEntry kUndated = dated_entry(kNever, 0, 0);

inline double time_of(DatedEntry entry) { return std::bit_cast<double>(static_cast<std::uint64_t>(entry >> 64)); }
inline std::uint32_t item_of(DatedEntry entry) { return static_cast<std::uint32_t>(entry) & (kMostDatedItems - 1); }

}  // namespace pysmpi
