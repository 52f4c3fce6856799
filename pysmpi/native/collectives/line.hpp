// A sequence of ranks at equal distances: all ranks of a communicator, all ranks of a node, or the first rank of each
// node.
#pragma once

#include "collectives/arguments.hpp"

namespace pysmpi {

struct Line {
  int first = 0, distance = 1, size = 1;
  int index = 0;  // position of the calling rank
  explicit Line(const Runner& run) : size(run.size), index(run.rank) {}
  Line(int first, int distance, int size, int index) : first(first), distance(distance), size(size), index(index) {}

  int rank_of(int other) const { return first + other * distance; }
  int left() const { return rank_of((index + size - 1) % size); }
  int right() const { return rank_of((index + 1) % size); }
};

}  // namespace pysmpi
