// Dated events of numbered things (flows, hosts, disks), one each, in the order (time, sequence). The sequence counts
// insertions, and what is dated again counts as inserted again: what is due at the same time comes out in the order in
// which it was last dated.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace pysmpi {

// An implicit 4-ary heap with the position of each item, so that one is dated again or taken out in place.
class DatedHeap {
 public:
  bool empty() const { return entries_.empty(); }
  double next_time() const { return entries_.empty() ? kNever : entries_.front().time; }
  std::uint32_t next_item() const { return entries_.front().item; }
  double second_time() const {  // of what comes after the next
    double time = kNever;
    const std::size_t end = entries_.size() < 5 ? entries_.size() : 5;
    for (std::size_t child = 1; child < end; ++child) {
      if (entries_[child].time < time) time = entries_[child].time;
    }
    return time;
  }

  // Inserts the item, or dates it again.
  void set(std::uint32_t item, double time) {
    if (item >= position_.size()) position_.resize(item + 1, kNone);
    const Entry entry{time, next_sequence_++, item};
    const std::uint32_t at = position_[item];
    if (at == kNone) {
      entries_.push_back(entry);
      rise(static_cast<std::uint32_t>(entries_.size() - 1), entry);
    } else {
      replace(at, entry);
    }
  }

  // Takes the item out, if it is in.
  void remove(std::uint32_t item) {
    if (item >= position_.size() || position_[item] == kNone) return;
    const std::uint32_t at = position_[item];
    position_[item] = kNone;
    const Entry last = entries_.back();
    entries_.pop_back();
    if (last.item != item) replace(at, last);
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

  void place(std::uint32_t at, const Entry& entry) {
    entries_[at] = entry;
    position_[entry.item] = at;
  }

  void replace(std::uint32_t at, const Entry& entry) {
    if (at > 0 && entry.before(entries_[(at - 1) / 4])) {
      rise(at, entry);
    } else {
      sink(at, entry);
    }
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

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> position_;  // by item; kNone when it has no date
  std::uint64_t next_sequence_ = 0;
};

}  // namespace pysmpi
