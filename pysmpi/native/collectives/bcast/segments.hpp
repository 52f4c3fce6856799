// What SMPI's broadcasts in segments have in common.
#pragma once

#include <algorithm>

#include "collectives/catalogue.hpp"

namespace pysmpi {

// Whole segments, and what remains, which goes as a broadcast of its own.
struct Segments {
  std::int64_t elements;  // of each
  std::int64_t whole;     // how many there are
  std::int64_t rest;      // elements

  Segments(const Arguments& a, std::int64_t bytes)
      : elements(std::max<std::int64_t>(1, bytes / std::max<std::int64_t>(1, a.receive_extent()))),
        whole(a.receive_count / elements),
        rest(a.receive_count % elements) {}
  bool are_one(const Arguments& a) const { return a.receive_count <= elements; }
};

inline constexpr std::int64_t kSegmentBytes = 8192;

// The root hands the buffer to rank 0, from where it then goes to all others.
Schedule hand_to_rank_0(Runner& run, const Arguments& a);

// By the algorithm that is chosen for broadcasts.
Schedule broadcast_rest(Runner& run, const Arguments& a, const Segments& segments);

}  // namespace pysmpi
