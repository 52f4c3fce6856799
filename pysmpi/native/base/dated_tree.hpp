// Dated events of numbered things (hosts), one each, in the order (time, sequence), as DatedHeap has them, for those
// that are dated anew as often as they come up: a tournament in which each item keeps its place. An item's matches up
// to the top are known before they begin and are decided without branches: half the time of a heap, where nothing
// foretells which way an item sinks.
#pragma once

#include <cstdint>
#include <vector>

#include "base/dated_entry.hpp"
#include "base/types.hpp"

namespace pysmpi {

class DatedTree {
 public:
  double next_time() const { return places_ == 0 ? kNever : time_of(entries_[1]); }
  std::uint32_t next_item() const { return item_of(entries_[1]); }
  double second_time() const {  // of what comes after the next
    if (places_ == 0) return kNever;
    DatedEntry second = kUndated;
    for (std::uint32_t at = places_ + next_item(); at > 1; at /= 2) second = first_of(second, entries_[at ^ 1]);
    return time_of(second);
  }

  bool is_worn_out() const { return next_sequence_ >= kManyDatings; }

  // Inserts the item (less than kMostDatedItems), or dates it again.
  void set(std::uint32_t item, double time) {
    if (item >= places_) grow(item + 1);
    enter(item, dated_entry(time, next_sequence_++, item));
  }

  // Takes the item out, if it is in.
  void remove(std::uint32_t item) {
    if (item < places_ && time_of(entries_[places_ + item]) < kNever) enter(item, kUndated);
  }

 private:
  static DatedEntry first_of(DatedEntry one, DatedEntry other) { return other < one ? other : one; }

  void enter(std::uint32_t item, DatedEntry entry) {
    std::uint32_t at = places_ + item;
    entries_[at] = entry;
    for (; at > 1; at /= 2) {
      entry = first_of(entry, entries_[at ^ 1]);
      entries_[at / 2] = entry;
    }
  }

  void grow(std::uint32_t items) {
    const std::vector<DatedEntry> before = entries_;
    const std::uint32_t count = places_;
    while (places_ < items) places_ = places_ == 0 ? 2 : 2 * places_;
    entries_.assign(2 * std::size_t{places_}, kUndated);
    for (std::uint32_t item = 0; item < count; ++item) enter(item, before[count + item]);
  }

  // Entry i is that of entries 2 i and 2 i + 1 which comes first, up to entry 1; those of the items begin at places_.
  std::vector<DatedEntry> entries_;
  std::uint32_t places_ = 0;  // a power of two
  std::uint64_t next_sequence_ = 0;
};

}  // namespace pysmpi
