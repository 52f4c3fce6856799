// Dated events of numbered things (hosts), one each, in the order (time, sequence), as DatedHeap has them, for those
// that are dated anew as often as they come up: a tournament in which each item keeps its place. An item's matches up
// to the top are known before they begin and are decided without branches: half the time of a heap, where nothing
// foretells which way an item sinks.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace pysmpi {

class DatedTree {
 public:
  double next_time() const { return places_ == 0 ? kNever : time_of(entries_[1]); }
  std::uint32_t next_item() const { return item_of(entries_[1]); }
  double second_time() const {  // of what comes after the next
    if (places_ == 0) return kNever;
    Entry second = kAbsent;
    for (std::uint32_t at = places_ + next_item(); at > 1; at /= 2) second = first_of(second, entries_[at ^ 1]);
    return time_of(second);
  }

  // Inserts the item, or dates it again.
  void set(std::uint32_t item, double time) {
    if (item >= places_) grow(item + 1);
    enter(item, Entry{std::bit_cast<std::uint64_t>(time)} << 64 | next_sequence_++ << kItemBits | item);
  }

  // Takes the item out, if it is in.
  void remove(std::uint32_t item) {
    if (item < places_ && time_of(entries_[places_ + item]) < kNever) enter(item, kAbsent);
  }

 private:
  // Time, sequence (2^40) and item (2^24), each below the one before it. Times are not negative, and so their bits are
  // in the order of the times.
  __extension__ using Entry = unsigned __int128;
  static constexpr int kItemBits = 24;
  static constexpr Entry kAbsent = Entry{std::bit_cast<std::uint64_t>(kNever)} << 64;

  static double time_of(Entry entry) { return std::bit_cast<double>(static_cast<std::uint64_t>(entry >> 64)); }
  static std::uint32_t item_of(Entry entry) { return static_cast<std::uint32_t>(entry) & ((1U << kItemBits) - 1); }
  static Entry first_of(Entry one, Entry other) { return other < one ? other : one; }

  void enter(std::uint32_t item, Entry entry) {
    std::uint32_t at = places_ + item;
    entries_[at] = entry;
    for (; at > 1; at /= 2) {
      entry = first_of(entry, entries_[at ^ 1]);
      entries_[at / 2] = entry;
    }
  }

  void grow(std::uint32_t items) {
    const std::vector<Entry> before = entries_;
    const std::uint32_t count = places_;
    while (places_ < items) places_ = places_ == 0 ? 2 : 2 * places_;
    entries_.assign(2 * std::size_t{places_}, kAbsent);
    for (std::uint32_t item = 0; item < count; ++item) enter(item, before[count + item]);
  }

  std::vector<Entry> entries_;  // entry i is that of entries 2 i and 2 i + 1 which comes first; items' begin at places_
  std::uint32_t places_ = 0;    // a power of two
  std::uint64_t next_sequence_ = 0;
};

}  // namespace pysmpi
