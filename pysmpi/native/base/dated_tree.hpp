// A priority queue of events with the interface of DatedHeap. It is faster than DatedHeap for items that rarely get a
// new time before their event comes out, such as hosts. It is a tournament tree: each item has a fixed leaf, and each
// inner entry is the earlier one of its two children. The path from a leaf to the root is known in advance, and
// comparisons need no branches. An update takes half the time of one in a heap, where the processor cannot predict the
// path of an entry.
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
  double second_time() const {  // time of the event after the next
    if (places_ == 0) return kNever;
    DatedEntry second = kUndated;
    for (std::uint32_t at = places_ + next_item(); at > 1; at /= 2) second = first_of(second, entries_[at ^ 1]);
    return time_of(second);
  }

  bool is_worn_out() const { return next_sequence_ >= kManyDatings; }

  // Set the time of the item's event, whether or not the item has one already. `item` must be below kMostDatedItems.
  void set(std::uint32_t item, double time) {
    if (item >= places_) grow(item + 1);
    enter(item, dated_entry(time, next_sequence_++, item));
  }

  // Remove the item's event, if one exists.
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

  // Binary tree in an array: entry i below places_ is the earlier one of entries 2 i and 2 i + 1, so entry 1 is the
  // next event. The entry of item k is entry places_ + k.
  std::vector<DatedEntry> entries_;
  std::uint32_t places_ = 0;  // a power of two
  std::uint64_t next_sequence_ = 0;
};

}  // namespace pysmpi
