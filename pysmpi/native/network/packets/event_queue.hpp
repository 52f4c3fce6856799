// Queue of the events of packets: a radix heap (R. K. Ahuja, K. Mehlhorn, J. B. Orlin, R. E. Tarjan, "Faster
// algorithms for the shortest path problem", Journal of the ACM 37(2), 1990). No event may be earlier than the event
// taken last. Events are only moved in sequential memory, so the queue stays fast with many events.
//
// The bits of doubles that are not negative have the order of the numbers. An event is in the bucket of the highest bit
// in which its time differs from the time of the event taken last; bucket 0 has the events of exactly that time. If it
// is empty, the events of the lowest bucket that is not empty are spread over the buckets below; their times are then
// compared with the earliest of them. Example with 4 bits: after time 0100, the times 0101, 0110, 0111 are in the
// buckets 1, 2, 2. When 0101 has been taken, times are compared with 0110: 0110 goes into bucket 0 and 0111 into
// bucket 1.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace pysmpi {

enum class PacketEventKind : std::uint32_t {
  kServe,   // a cable may be able to send a packet
  kArrive,  // the head of a packet reaches a switch, or its tail the destination
  kAlarm,   // a time at which the owner of the packets asked to be notified
};

struct PacketEvent {
  double time;
  std::uint32_t item;
  PacketEventKind kind;
};

class PacketEventQueue {
 public:
  bool empty() const { return filled_ == 0; }
  double next_time() const { return next_; }

  // Adds an event and returns its time, which is at least that of the event taken last. Events of equal time come out
  // in the order in which they were added.
  double add(double time, PacketEventKind kind, std::uint32_t item) {
    time = std::max(time, last_);
    next_ = std::min(next_, time);
    put({time, item, kind});
    return time;
  }

  // Removes and returns the next event; the queue must not be empty.
  PacketEvent take() {
    if ((filled_ & 1) == 0) spread();
    std::vector<PacketEvent>& now = buckets_[0];
    const PacketEvent event = now[taken_++];
    if (taken_ == now.size()) {
      now.clear();
      taken_ = 0;
      filled_ &= ~std::uint64_t{1};
      next_ = filled_ == 0 ? kNever : earliest(buckets_[std::countr_zero(filled_)]);
    }
    return event;
  }

  // Returns the event that will come out `ahead` events later, if none is added until then, or null if it has another
  // time.
  const PacketEvent* later(std::size_t ahead) const {
    const std::vector<PacketEvent>& now = buckets_[0];
    return taken_ + ahead < now.size() ? &now[taken_ + ahead] : nullptr;
  }

 private:
  static std::uint64_t bits(double time) { return std::bit_cast<std::uint64_t>(time); }

  static double earliest(const std::vector<PacketEvent>& events) {
    double first = kNever;
    for (const PacketEvent& event : events) first = std::min(first, event.time);
    return first;
  }

  void put(const PacketEvent& event) {
    const int bucket = std::bit_width(bits(event.time) ^ bits(last_));
    buckets_[bucket].push_back(event);
    filled_ |= std::uint64_t{1} << bucket;
  }

  void spread() {
    const int lowest = std::countr_zero(filled_);
    last_ = next_;
    filled_ &= ~(std::uint64_t{1} << lowest);
    for (const PacketEvent& event : buckets_[lowest]) put(event);
    buckets_[lowest].clear();
  }

  std::array<std::vector<PacketEvent>, 64> buckets_;  // the sign bit never differs
  std::uint64_t filled_ = 0;                          // a bit for each bucket that is not empty
  std::size_t taken_ = 0;                             // events of bucket 0 that have been taken
  double last_ = 0.0;
  double next_ = kNever;
};

}  // namespace pysmpi
