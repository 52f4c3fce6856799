// Positions of the ranks' blocks in the vector that is reduced.
#pragma once

#include <vector>

#include "collectives/arguments.hpp"

namespace pysmpi {

// Offset of each rank's block in elements. The entry after the last rank is the end of the vector.
class Offsets {
 public:
  Offsets(const Arguments& args, int size) : count_(args.receive_count) {
    if (!args.receive_counts) return;
    offsets_.resize(size + 1);
    for (int i = 0; i < size; ++i) offsets_[i + 1] = offsets_[i] + args.receive_counts[i];
  }
  std::int64_t operator[](int rank) const { return offsets_.empty() ? rank * count_ : offsets_[rank]; }

 private:
  const std::int64_t count_;           // elements of each block if all are equal
  std::vector<std::int64_t> offsets_;  // empty if all blocks are equal
};

// Returns the rank's own contribution, starting at `element`.
inline const char* contribution_at(const Arguments& args, std::int64_t element) {
  return static_cast<const char*>(args.send) + element * args.receive_extent();
}

}  // namespace pysmpi
