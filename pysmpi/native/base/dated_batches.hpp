// A priority queue of events with times, for workloads in which many events have the same time, such as the rounds of a
// collective. Consecutive events with equal time form one batch, and only batches are in the heap. Example: four events
// added for times 5, 5, 5, 7 make two batches and two heap entries.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "base/types.hpp"

namespace pysmpi {

enum class WithinBatch : std::uint8_t { kFirstAdded, kLastAdded };  // which event of a batch comes out first

// Events come out in order of time, then of their batch's sequence number, then in the order that kFirst selects within
// the batch.
template <class Item, WithinBatch kFirst>
class DatedBatches {
 public:
  bool empty() const { return heap_.empty(); }
  double next_time() const { return heap_.empty() ? kNever : heap_.top().time; }
  std::size_t size() const { return size_; }

  // Add an event. If the event begins a new batch, the batch gets this sequence number; otherwise `sequence` is
  // ignored.
  void add(double time, std::uint64_t sequence, const Item& item) {
    const std::uint32_t added = nodes_.take();
    nodes_.all[added] = {item, kNone};
    ++size_;
    if (latest_ == kNone || latest_time_ != time) {
      latest_ = batches_.take();
      latest_time_ = time;
      batches_.all[latest_] = {added, added};
      heap_.push({time, sequence, latest_});
      return;
    }
    Batch& batch = batches_.all[latest_];
    if constexpr (kFirst == WithinBatch::kFirstAdded) {
      nodes_.all[batch.last].next = added;
      batch.last = added;
    } else {
      nodes_.all[added].next = batch.first;
      batch.first = added;
    }
  }

  // End the current batch, so that the next event begins a new batch even if its time is equal.
  void end_batch() { latest_ = kNone; }

  const Item& next() const { return nodes_.all[batches_.all[heap_.top().batch].first].item; }

  // Remove and return the next event.
  Item take() {
    const std::uint32_t of = heap_.top().batch;
    const std::uint32_t taken = batches_.all[of].first;
    const Node node = nodes_.all[taken];
    nodes_.give(taken);
    --size_;
    batches_.all[of].first = node.next;
    if (node.next == kNone) {
      heap_.pop();
      batches_.give(of);
      if (latest_ == of) latest_ = kNone;
    }
    return node.item;
  }

 private:
  struct Node {
    Item item;
    std::uint32_t next;
  };
  struct Batch {
    std::uint32_t first, last;
  };
  struct Entry {
    double time;
    std::uint64_t sequence;
    std::uint32_t batch;
    bool operator<(const Entry& other) const {  // std::priority_queue keeps the greatest entry on top
      return time > other.time || (time == other.time && sequence > other.sequence);
    }
  };
  template <class Thing>
  struct Pool {
    std::vector<Thing> all;
    std::vector<std::uint32_t> unused;
    std::uint32_t take() {
      if (unused.empty()) {
        all.emplace_back();
        return static_cast<std::uint32_t>(all.size() - 1);
      }
      const std::uint32_t number = unused.back();
      unused.pop_back();
      return number;
    }
    void give(std::uint32_t number) { unused.push_back(number); }
  };

  std::priority_queue<Entry> heap_;  // one entry for each batch
  Pool<Node> nodes_;
  Pool<Batch> batches_;
  std::size_t size_ = 0;
  std::uint32_t latest_ = kNone;  // the batch of the event added last
  double latest_time_ = 0.0;
};

}  // namespace pysmpi
