// Flow of values: which value is computed from which. It is stored twice, by sources and by sinks, as flat arrays.
//
// Example: c = a + b, d = a gives the edges a-c, b-c, a-d. The readers of a are c and d; the sources of c are a and b.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "value_flow/edges.hpp"

namespace pysmpi {

// The vertex at the other end of an edge, and the event (one execution of a statement) that reads the source.
struct EdgeEnd {
  std::int32_t value;
  std::int32_t at;
};

class ValueGraph {
 public:
  static constexpr std::uint8_t kSum = 1, kMeeting = 2, kElementwise = 4;

  struct Arrays {
    std::span<const std::uint8_t> kind;              // by value
    std::span<const std::uint8_t> words;             // by value: its size
    std::span<const std::int32_t> event;             // by value: event in which it is computed
    std::span<const std::int64_t> times;             // by event: number of its executions
    std::span<const std::int32_t> same_before;       // by event: see same_before()
    std::span<const std::int32_t> source, sink, at;  // by edge: both ends, and the event that needs the edge
    // Values that all nodes need, and the events that need them.
    std::span<const std::int32_t> steering_value, steered_at;
  };
  explicit ValueGraph(const Arrays& arrays);

  std::int32_t values() const { return static_cast<std::int32_t>(kind_.size()); }
  bool is_sum(std::int32_t value) const { return (kind_[value] & kSum) != 0; }
  bool is_meeting(std::int32_t value) const { return (kind_[value] & kMeeting) != 0; }
  // Returns whether a value is computed from a few others, and is neither a sum nor an element of a product of
  // matrices.
  bool is_elementwise(std::int32_t value) const { return (kind_[value] & kElementwise) != 0; }
  // Returns the number of words sent in the whole run if an event needs a value of another node in each of its
  // executions.
  std::int64_t words(std::int32_t value, std::int32_t at) const { return words_[value] * times_[at]; }
  std::int32_t event(std::int32_t value) const { return event_[value]; }
  // Returns the last execution of the same statement, with the same effect, before an event; -1 if there was none.
  std::int32_t same_before(std::int32_t event) const { return same_before_[event]; }
  bool computed(std::int32_t value) const { return !sources_[value].empty(); }
  // Returns the values that are computed from a value, in the order of the edges.
  std::span<const EdgeEnd> readers(std::int32_t value) const { return readers_[value]; }
  // Returns the sources of a value, in the order of the edges.
  std::span<const std::int32_t> sources(std::int32_t value) const { return sources_[value]; }
  // Returns the values that all nodes need, in the order of their numbers; a value can occur several times.
  std::span<const EdgeEnd> steering() const { return steering_; }

 private:
  std::vector<std::uint8_t> kind_, words_;
  std::vector<std::int64_t> times_;
  std::vector<std::int32_t> event_, same_before_;
  Grouped<EdgeEnd> readers_;
  Grouped<std::int32_t> sources_;
  std::vector<EdgeEnd> steering_;
};

}  // namespace pysmpi
