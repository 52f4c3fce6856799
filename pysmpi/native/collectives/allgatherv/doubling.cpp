// Allgatherv algorithms in which each step doubles the number of blocks that a rank holds.
#include <algorithm>
#include <vector>

#include "collectives/allgatherv/allgatherv.hpp"
#include "collectives/allgatherv/blocks.hpp"
#include "collectives/trees.hpp"

namespace pysmpi {

// Bruck et al. 1997, ceil(log2 P) rounds: each rank receives the blocks of the ranks above it. As in Open MPI, a block
// is stored at its final position when it arrives.
Schedule allgatherv_bruck(Runner& run, Arguments args) {
  const int rank = run.rank, size = run.size;
  place_own_block(run, args);
  for (int held = 1; held < size; held *= 2) {
    const int below = (rank - held + size) % size, above = (rank + held) % size, blocks = std::min(held, size - held);
    const JoinedBlocks out(args, rank, blocks, true), in(args, above, blocks, false);
    co_await run.exchange(below, out.data(), out.size(), kByte, above, in.data(), in.size(), kByte);
    in.unpack();
  }
}

Schedule allgatherv_recursive_doubling(Runner& run, Arguments args) {
  const int rank = run.rank, size = run.size;
  const std::int64_t element = find_datatype(args.receive_type)->size;
  std::vector<std::int64_t> before(size + 1);  // bytes of all blocks of lower ranks
  for (int i = 0; i < size; ++i) before[i + 1] = before[i] + args.receive_counts[i] * element;
  if (before[size] == 0) co_return;
  place_own_block(run, args);
  const JoinedBlocks all(args, 0, size, true);
  for (int distance = 1; distance < size; distance *= 2) {
    const int partner = rank ^ distance;
    const int mine = rank & ~(distance - 1), theirs = partner & ~(distance - 1);
    const auto bytes = [&before, size, distance](int first) {
      return before[std::min(first + distance, size)] - before[std::min(first, size)];
    };
    if (partner < size) {
      co_await run.exchange(partner, all.data() + before[mine], bytes(mine), kByte, partner,
                            all.data() + before[theirs], bytes(theirs), kByte);
    }
    const int complete = theirs + distance > size ? size - mine - distance : 0;
    if (complete > 0) {
      co_await spread_in_subtree(run, distance, complete, all.data() + before[theirs], bytes(theirs), kByte);
    }
  }
  all.unpack();
}

}  // namespace pysmpi
