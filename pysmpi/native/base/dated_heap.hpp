// A priority queue with at most one event for each numbered item (flow, host or disk). Events come out in order of
// time; events of equal time come out in the order in which their times were set. Example: the events of items 1, 2 and
// 3 are set to 5 s in this order, then the event of item 1 is set to 5 s again. They come out as 2, 3, 1.
#pragma once

#include <cstdint>
#include <vector>

#include "base/dated_entry.hpp"
#include "base/large_pages.hpp"
#include "base/types.hpp"

namespace pysmpi {

// Implemented as an implicit 4-ary heap that knows the position of each item. An item whose time is postponed stays at
// its position until it reaches the top, because the times of most items change several times before that. The entry at
// the top is always correct.
class DatedHeap {
 public:
  bool empty() const { return entries_.empty(); }
  double next_time() const { return entries_.empty() ? kNever : time_of(entries_.front()); }
  std::uint32_t next_item() const { return item_of(entries_.front()); }

  bool is_worn_out() const { return next_sequence_ >= kManyDatings; }

  // Set the time of the item's event, whether or not the item has one already. `item` must be below kMostDatedItems.
  void set(std::uint32_t item, double time) {
    if (item >= dates_.size()) dates_.resize(item + 1);
    Date& date = dates_[item];
    date.entry = dated_entry(time, next_sequence_++, item);
    if (date.place == kNone) {
      entries_.emplace_back();
      rise(static_cast<std::uint32_t>(entries_.size() - 1), date.entry);
    } else if (date.entry < entries_[date.place]) {
      rise(date.place, date.entry);
    } else if (date.place == 0) {
      settle_top();
    }
  }

  // Remove the item's event, if one exists.
  void remove(std::uint32_t item) {
    if (item >= dates_.size() || dates_[item].place == kNone) return;
    const std::uint32_t at = dates_[item].place;
    dates_[item].place = kNone;
    const DatedEntry last = entries_.back();
    entries_.pop_back();
    if (item_of(last) == item) return;
    if (at > 0 && last < entries_[(at - 1) / 4]) {
      rise(at, last);
    } else {
      sink(at, last);
    }
    settle_top();
  }

 private:
  struct Date {
    DatedEntry entry = kUndated;
    std::uint32_t place = kNone;  // position in entries_; kNone if the item has no event
  };

  void settle_top() {
    while (true) {
      const DatedEntry date = dates_[item_of(entries_.front())].entry;
      if (entries_.front() == date) return;
      sink(0, date);
    }
  }

  void place(std::uint32_t at, DatedEntry entry) {
    entries_[at] = entry;
    dates_[item_of(entry)].place = at;
  }

  void rise(std::uint32_t at, DatedEntry entry) {
    while (at > 0) {
      const std::uint32_t parent = (at - 1) / 4;
      if (entries_[parent] < entry) break;
      place(at, entries_[parent]);
      at = parent;
    }
    place(at, entry);
  }

  void sink(std::uint32_t at, DatedEntry entry) {
    const auto size = static_cast<std::uint32_t>(entries_.size());
    const DatedEntry* const entries = entries_.data();
    while (true) {
      const std::uint32_t first = 4 * at + 1;
      if (first >= size) break;
      std::uint32_t least = first;
      if (first + 4 <= size) {
        const std::uint32_t low = first + (entries[first + 1] < entries[first] ? 1 : 0);
        const std::uint32_t high = first + 2 + (entries[first + 3] < entries[first + 2] ? 1 : 0);
        least = entries[high] < entries[low] ? high : low;
      } else {
        for (std::uint32_t child = first + 1; child < size; ++child) {
          if (entries[child] < entries[least]) least = child;
        }
      }
      if (entry < entries[least]) break;
      place(at, entries[least]);
      at = least;
    }
    place(at, entry);
  }

  // The time of an entry may be earlier than its item's time in dates_, because the item was postponed. Such an entry
  // is corrected when it reaches the top.
  std::vector<DatedEntry, LargePages<DatedEntry>> entries_;
  std::vector<Date, LargePages<Date>> dates_;  // date of each item
  std::uint64_t next_sequence_ = 0;
};

}  // namespace pysmpi
