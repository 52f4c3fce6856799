// Tree shapes that several algorithms share.
#pragma once

#include <algorithm>

#include "collectives/arguments.hpp"

namespace pysmpi {

// A binomial tree in which each subtree consists of consecutive ranks. Ranks are numbered from the root. The children
// of v are v + 1, v + 2, v + 4, ... for all powers of two below the lowest set bit of v (all powers of two for v = 0).
// The subtree of child c holds ranks c to c + (c - v) - 1.
//
// Example with 6 ranks and root 0: 0 has children 1, 2 and 4; 2 has child 3; 4 has child 5.
struct InOrderTree {
  int root, size, number;  // number: the calling rank, counted from the root
  InOrderTree(int root, int size, int rank) : root(root), size(size), number((rank - root + size) % size) {}

  int span() const {  // number of ranks in the calling rank's own subtree
    int width = 1;
    while (!(number & width) && width < size) width *= 2;
    return std::min(width, size - number);
  }
  int parent() const { return rank_of(number & (number - 1)); }
  int rank_of(int other) const { return (other + root) % size; }
  int span_of_child(int distance) const { return std::min(distance, size - number - distance); }
};

// A binary tree whose level l consists of numbers 2^l - 1 to 2^(l+1) - 2, counted from the root. The children of v on
// level l are v + 2^l and v + 2^(l+1). (Open MPI, coll_base_topo.c, tree of fan-out 2.) Example: 0 has children 1 and
// 2; 1 has 3 and 5; 2 has 4 and 6.
struct LevelTree {
  static constexpr int kNobody = -1;
  int number, parent = kNobody, children[2] = {kNobody, kNobody};
  LevelTree(int root, int size, int rank);
};

// Completes a step of recursive doubling if the number of ranks is not a power of two. A subtree of `distance` ranks
// may face an incomplete subtree with only `complete` ranks. Only the first `complete` ranks then have a partner and
// receive its data; this function passes the data on to the others. Ranks are numbered from the root.
//
// Example with 6 ranks, distance 4: ranks 0 and 1 exchange with ranks 4 and 5 (complete = 2), ranks 2 and 3 have no
// partner. Here rank 0 sends the data to rank 2, and rank 1 to rank 3.
Schedule spread_in_subtree(Runner& run, int distance, int complete, void* data, std::int64_t count, std::int32_t type,
                           int root = 0);

}  // namespace pysmpi
