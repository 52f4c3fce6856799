// Allgather algorithms in which each step doubles the number of blocks that a rank holds.
#include <bit>

#include "collectives/allgather/allgather.hpp"
#include "collectives/allgather/blocks.hpp"
#include "collectives/trees.hpp"

namespace pysmpi {

// Recursive doubling, log2 P rounds: ranks at distance 1, 2, 4, ... exchange all blocks that they hold.
Schedule allgather_recursive_doubling(Runner& run, Arguments args) {
  const int rank = run.rank, size = run.size;
  place_own_equal_block(run, args);
  for (int distance = 1; distance < size; distance *= 2) {
    const int partner = rank ^ distance;
    const int mine = rank & ~(distance - 1), theirs = partner & ~(distance - 1);
    const std::int64_t sent = std::min(distance, size - mine) * args.receive_count;
    const std::int64_t received = std::max(0, std::min(distance, size - theirs)) * args.receive_count;
    if (partner < size) {
      co_await run.exchange(partner, args.receive_at(mine * args.receive_count), sent, args.receive_type, partner,
                            args.receive_at(theirs * args.receive_count), received, args.receive_type);
    }
    const int complete = theirs + distance > size ? size - mine - distance : 0;
    if (complete > 0) {
      co_await spread_in_subtree(run, distance, complete, args.receive_at(theirs * args.receive_count), received,
                                 args.receive_type);
    }
  }
}

// Bruck et al. 1997, ceil(log2 P) rounds: each rank receives the blocks of the ranks above it, twice as many in each
// step. It puts them into rank order at the end. Example on 5 ranks: rank 3 first holds block 3, then blocks 3 and 4,
// then blocks 3, 4, 0 and 1, and then all.
Schedule allgather_bruck(Runner& run, Arguments args) {
  const int rank = run.rank, size = run.size;
  const std::int64_t block = args.receive_bytes();
  const Scratch blocks(size * block, kByte, args.receive);
  local_copy(args.send, args.send_count, args.send_type, blocks.data(), block, kByte);
  for (int held = 1; held < size; held *= 2) {
    const std::int64_t bytes = std::min(held, size - held) * block;
    co_await run.exchange((rank - held + size) % size, blocks.data(), bytes, kByte, (rank + held) % size,
                          blocks.data() + held * block, bytes, kByte);
  }
  const int above = size - rank;
  local_copy(blocks.data(), above * block, kByte, args.receive_at(rank * args.receive_count),
             above * args.receive_count, args.receive_type);
  local_copy(blocks.data() + above * block, rank * block, kByte, args.receive, rank * args.receive_count,
             args.receive_type);
}

// Recursive doubling with the farthest partner first. Blocks are first put in the order of bit-reversed ranks, so that
// each message is contiguous.
Schedule allgather_recursive_halving(Runner& run, Arguments args) {
  const int rank = run.rank, size = run.size;
  if (size & (size - 1)) {
    note_fallback("allgather", "rhv", "rdb", "the number of ranks is not a power of two");
    co_await allgather_recursive_doubling(run, args);
    co_return;
  }
  if (!has_equal_lengths(args)) {
    note_fallback("allgather", "rhv", "linear", kUnequalLengths);
    co_await allgather_linear(run, args);
    co_return;
  }
  int first = 0;  // first block that the rank holds
  for (int bit = 1; bit < size; bit *= 2) first = 2 * first + ((rank & bit) != 0);
  if (first == rank) {
    place_own_equal_block(run, args);
  } else {
    co_await run.exchange(first, args.send, args.send_count, args.send_type, first, equal_block_of(args, first),
                          args.receive_count, args.receive_type);
  }
  for (int held = 1, distance = size / 2; distance > 0; held *= 2, distance /= 2) {
    const int partner = rank ^ distance, theirs = rank & distance ? first - held : first + held;
    co_await exchange_blocks(run, args, partner, first, partner, theirs, held);
    first = std::min(first, theirs);
  }
}

}  // namespace pysmpi
