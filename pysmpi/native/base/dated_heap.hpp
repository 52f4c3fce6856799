// Dated events of numbered things (flows, hosts, disks), one each, in the order (time, sequence). The sequence counts
// insertions, and what is dated again counts as inserted again: what is due at the same time comes out in the order in
// which it was last dated.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace pysmpi {

// An implicit 4-ary heap that knows the place of each item. An item that is dated later than before stays where it is
// until it comes to the top: most are dated again and again until then. What is at the top is in its place always.
class DatedHeap {
 public:
  bool empty() const { return entries_.empty(); }
  double next_time() const { return entries_.empty() ? kNever : entries_.front().time; }
  std::uint32_t next_item() const { return entries_.front().item; }
  double second_time() const {  // what comes after the next is not due before
    double time = kNever;
    const std::size_t end = entries_.size() < 5 ? entries_.size() : 5;
    for (std::size_t child = 1; child < end; ++child) {
      if (entries_[child].time < time) time = entries_[child].time;
    }
    return time;
  }

  // Inserts the item, or dates it again.
  void set(std::uint32_t item, double time) {
    if (item >= dates_.size()) dates_.resize(item + 1);
    Date& date = dates_[item];
    date.time = time;
    date.sequence = next_sequence_++;
    if (date.place == kNone) {
      entries_.emplace_back();
      rise(static_cast<std::uint32_t>(entries_.size() - 1), {time, date.sequence, item});
    } else if (time < entries_[date.place].time) {
      rise(date.place, {time, date.sequence, item});
    } else if (date.place == 0) {
      settle_top();
    }
  }

  // Takes the item out, if it is in.
  void remove(std::uint32_t item) {
    if (item >= dates_.size() || dates_[item].place == kNone) return;
    const std::uint32_t at = dates_[item].place;
    dates_[item].place = kNone;
    const Entry last = entries_.back();
    entries_.pop_back();
    if (last.item == item) return;
    if (at > 0 && last.before(entries_[(at - 1) / 4])) {
      rise(at, last);
    } else {
      sink(at, last);
    }
    settle_top();
  }

 private:
  struct Entry {
    double time;
    std::uint64_t sequence;
    std::uint32_t item;
    bool before(const Entry& other) const {
      return time < other.time || (time == other.time && sequence < other.sequence);
    }
  };
  struct Date {
    double time;
    std::uint64_t sequence;
    std::uint32_t place = kNone;  // among the entries; kNone when it has no date
  };

  void settle_top() {
    while (true) {
      const std::uint32_t item = entries_.front().item;
      const Date& date = dates_[item];
      if (entries_.front().sequence == date.sequence) return;
      sink(0, {date.time, date.sequence, item});
    }
  }

  void place(std::uint32_t at, const Entry& entry) {
    entries_[at] = entry;
    dates_[entry.item].place = at;
  }

  void rise(std::uint32_t at, const Entry& entry) {
    while (at > 0) {
      const std::uint32_t parent = (at - 1) / 4;
      if (!entry.before(entries_[parent])) break;
      place(at, entries_[parent]);
      at = parent;
    }
    place(at, entry);
  }

  void sink(std::uint32_t at, const Entry& entry) {
    const auto size = static_cast<std::uint32_t>(entries_.size());
    while (true) {
      const std::uint32_t first = 4 * at + 1;
      if (first >= size) break;
      std::uint32_t least = first;
      const std::uint32_t end = first + 4 < size ? first + 4 : size;
      for (std::uint32_t child = first + 1; child < end; ++child) {
        if (entries_[child].before(entries_[least])) least = child;
      }
      if (!entries_[least].before(entry)) break;
      place(at, entries_[least]);
      at = least;
    }
    place(at, entry);
  }

  std::vector<Entry> entries_;  // those whose sequence is not that of their date wait to be moved down
  std::vector<Date> dates_;     // by item
  std::uint64_t next_sequence_ = 0;
};

}  // namespace pysmpi
