// Dated events of numbered things (flows, hosts, disks), one each, in the order (time, sequence). The sequence counts
// insertions, and what is dated again counts as inserted again: what is due at the same time comes out in the order in
// which it was last dated.
#pragma once

#include <cstdint>
#include <vector>

#include "base/dated_entry.hpp"
#include "base/types.hpp"

namespace pysmpi {

// An implicit 4-ary heap that knows the place of each item. An item that is dated later than before stays where it is
// until it comes to the top: most are dated again and again until then. What is at the top is in its place always.
class DatedHeap {
 public:
  bool empty() const { return entries_.empty(); }
  double next_time() const { return entries_.empty() ? kNever : time_of(entries_.front()); }
  std::uint32_t next_item() const { return item_of(entries_.front()); }

  bool is_worn_out() const { return next_sequence_ >= kManyDatings; }

  // Inserts the item (less than kMostDatedItems), or dates it again.
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

  // Takes the item out, if it is in.
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
    std::uint32_t place = kNone;  // among the entries; kNone when it has no date
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

  std::vector<DatedEntry> entries_;  // those that are not their item's date wait to be moved down
  std::vector<Date> dates_;          // by item
  std::uint64_t next_sequence_ = 0;
};

}  // namespace pysmpi
