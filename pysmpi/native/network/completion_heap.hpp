// Dated events of flows, one a flow, in the order (time, sequence). The sequence counts insertions, and a flow that is
// dated again counts as inserted again: flows due at the same time come out in the order in which they were last dated.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace pysmpi {

// An implicit 4-ary heap with the position of each flow, so that a flow is dated again or taken out in place.
class CompletionHeap {
 public:
  bool empty() const { return entries_.empty(); }
  double next_time() const { return entries_.empty() ? kNever : entries_.front().time; }
  FlowId next_flow() const { return entries_.front().flow; }

  // Inserts the flow, or dates it again.
  void set(FlowId flow, double time) {
    if (flow >= position_.size()) position_.resize(flow + 1, kNone);
    const Entry entry{time, next_sequence_++, flow};
    const std::uint32_t at = position_[flow];
    if (at == kNone) {
      entries_.push_back(entry);
      rise(static_cast<std::uint32_t>(entries_.size() - 1), entry);
    } else {
      replace(at, entry);
    }
  }

  // Takes the flow out, if it is in.
  void remove(FlowId flow) {
    if (flow >= position_.size() || position_[flow] == kNone) return;
    const std::uint32_t at = position_[flow];
    position_[flow] = kNone;
    const Entry last = entries_.back();
    entries_.pop_back();
    if (last.flow != flow) replace(at, last);
  }

 private:
  struct Entry {
    double time;
    std::uint64_t sequence;
    FlowId flow;
    bool before(const Entry& other) const {
      return time < other.time || (time == other.time && sequence < other.sequence);
    }
  };

  void place(std::uint32_t at, const Entry& entry) {
    entries_[at] = entry;
    position_[entry.flow] = at;
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
  std::vector<std::uint32_t> position_;  // by flow; kNone when it has no date
  std::uint64_t next_sequence_ = 0;
};

}  // namespace pysmpi
