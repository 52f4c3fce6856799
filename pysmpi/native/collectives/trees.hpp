// Shapes that several algorithms share.
#pragma once

#include <algorithm>

#include "collectives/arguments.hpp"

namespace pysmpi {

// A binomial tree whose subtrees are runs of ranks, numbered from the root: rank v's children are v + 1, v + 2, v + 4 …
// below its own lowest set bit, and child c's subtree holds ranks c to c + (c - v) - 1.
struct InOrderTree {
  int root, size, number;  // number: of the rank, counted from the root
  InOrderTree(int root, int size, int rank) : root(root), size(size), number((rank - root + size) % size) {}

  int span() const {  // ranks in the rank's own subtree
    int width = 1;
    while (!(number & width) && width < size) width *= 2;
    return std::min(width, size - number);
  }
  int parent() const { return rank_of(number & (number - 1)); }
  int rank_of(int other) const { return (other + root) % size; }
  int span_of_child(int distance) const { return std::min(distance, size - number - distance); }
};

// A binary tree whose level l has numbers 2^l - 1 to 2^(l+1) - 2, counted from the root; the children of one are 2^l
// and 2^(l+1) further. (Open MPI, coll_base_topo.c, a tree of fan-out 2.)
struct LevelTree {
  static constexpr int kNobody = -1;
  int number, parent = kNobody, children[2] = {kNobody, kNobody};
  LevelTree(int root, int size, int rank);
};

// In recursive doubling on a number of ranks that is no power of two, a subtree of `distance` ranks may face one that
// is not complete: only its first `complete` ranks then have a partner and receive something, and pass it on to the
// others. Ranks are numbered from the root.
Schedule spread_in_subtree(Runner& run, int distance, int complete, void* data, std::int64_t count, std::int32_t type,
                           int root = 0);

}  // namespace pysmpi
