// Segments of SMPI's pipelined broadcasts.
#pragma once

#include <algorithm>

#include "collectives/catalogue.hpp"

namespace pysmpi {

// Division of the buffer into whole segments and a rest, which is broadcast separately.
struct Segments {
  std::int64_t elements;  // elements of a segment
  std::int64_t whole;     // number of whole segments
  std::int64_t rest;      // elements of the rest

  Segments(const Arguments& args, std::int64_t bytes)
      : elements(std::max<std::int64_t>(1, bytes / std::max<std::int64_t>(1, args.receive_extent()))),
        whole(args.receive_count / elements),
        rest(args.receive_count % elements) {}
  bool are_one(const Arguments& args) const { return args.receive_count <= elements; }
};

inline constexpr std::int64_t kSegmentBytes = 8192;
inline constexpr int kNobody = -1;  // a neighbour that does not exist

// The root sends the buffer to rank 0, which then broadcasts it.
Schedule hand_to_rank_0(Runner& run, const Arguments& args);

// Broadcasts the bytes after the last whole segment, by the algorithm that is chosen for broadcasts.
Schedule broadcast_rest(Runner& run, const Arguments& args, const Segments& segments);

}  // namespace pysmpi
