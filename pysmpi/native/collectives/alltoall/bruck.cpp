// Alltoall algorithms with a logarithmic number of rounds, in which messages contain many blocks.
#include <algorithm>
#include <vector>

#include "collectives/allgather/allgather.hpp"
#include "collectives/alltoall/alltoall.hpp"
#include "collectives/alltoall/blocks.hpp"
#include "collectives/packed.hpp"
#include "rank_memory/folded.hpp"
#include "schedule/local_work.hpp"

namespace pysmpi {

namespace {

// A row of contiguous blocks of equal size. Blocks in folded memory (rank_memory/folded.hpp) have no contents; copying
// them takes simulated time only.
struct BlockRow {
  char* data;
  std::int64_t block;  // bytes
  bool folded = is_folded(data);

  char* at(std::int64_t i) const { return data + i * block; }
  void get(std::int64_t i, std::int64_t count, const char* from) const {
    local_copy(from, count * block, kByte, at(i), count * block, kByte);
  }
  void reverse(std::int64_t begin, std::int64_t end) const {
    LocalWork::current().note_copied((end - begin) * block);
    if (folded) return;
    for (--end; begin < end; ++begin, --end) std::swap_ranges(at(begin), at(begin + 1), at(end));
  }
};

// Calls visit(first, count, blocks in earlier runs) for each run of consecutive blocks whose numbers contain the power
// of two `bit`. Example with size = 8, bit = 2: the runs are blocks 2 and 3, then blocks 6 and 7.
template <class Visit>
void each_run(int size, int bit, Visit&& visit) {
  std::int64_t before = 0;
  for (int first = bit; first < size; first += 2 * bit) {
    const int count = std::min(bit, size - first);
    visit(first, count, before);
    before += count;
  }
}

std::int64_t with_bit(int size, int bit) { return size / (2 * bit) * bit + std::max(size % (2 * bit) - bit, 0); }

}  // namespace

// Bruck, Ho, Kipnis, Upfal, Weathersby 1997, ceil(log2 P) rounds. A block for the rank j places above travels by the
// powers of two that sum up to j: with j = 5 it moves 1 place, then 4 places. Until the end the block is stored at
// position j of the receive buffer. The halves of a scratch buffer hold the blocks that leave and arrive in a step.
Schedule alltoall_bruck(Runner& run, Arguments args) {
  const int rank = run.rank, size = run.size;
  const std::int64_t block = args.send_bytes();
  const Packed result(args.receive, args.receive_count * size, args.receive_type, false);
  const Scratch moving(size * block, kByte, args.receive, Scratch::FilledBy::kCore);
  const BlockRow blocks{result.data(), block}, out{moving.data(), block}, in{out.at(size / 2), block};
  const int above = size - rank;
  local_copy(args.send_at(rank * args.send_count), above * args.send_count, args.send_type, blocks.data, above * block,
             kByte);
  local_copy(args.send, rank * args.send_count, args.send_type, blocks.at(above), rank * block, kByte);
  for (int distance = 1; distance < size; distance *= 2) {
    each_run(size, distance, [&](int first, int count, std::int64_t to) { out.get(to, count, blocks.at(first)); });
    const std::int64_t bytes = with_bit(size, distance) * block;
    co_await run.exchange((rank + distance) % size, out.data, bytes, kByte, (rank - distance + size) % size, in.data,
                          bytes, kByte);
    each_run(size, distance, [&](int first, int count, std::int64_t from) { blocks.get(first, count, in.at(from)); });
  }
  // The block at position j now comes from the rank j places below. Reversing the order puts the blocks into rank
  // order.
  blocks.reverse(0, rank + 1);
  blocks.reverse(rank + 1, size);
  result.unpack();
}

// Bruck's algorithm for blocks of unequal sizes: K. Fan, T. Gilray, V. Pascucci, X. Huang, K. Micinski, S. Kumar,
// "Optimizing the Bruck algorithm for non-uniform all-to-all communication", HPDC 2022, algorithm two-phase Bruck.
// 2 ceil(log2 P) rounds. Blocks travel as in alltoall_bruck. A rank does not know the sizes of blocks that it forwards,
// so each step has two messages: the sizes of all blocks that move, then the blocks, one after the other.
Schedule alltoallv_two_phase_bruck(Runner& run, Arguments args) {
  const AlltoallBlocks blocks(run, args);
  const int rank = run.rank, size = run.size;
  // Indexed by the total distance that a block travels: its bytes, and the place of a block that has been received.
  struct Moving {
    std::int64_t bytes;
    const char* at;
  };
  std::vector<Moving> moving(size);
  for (int position = 1; position < size; ++position) {
    moving[position] = {blocks.out_bytes((rank + position) % size), nullptr};
  }
  std::vector<Scratch> received;  // a buffer for each step, because blocks of different steps leave together
  blocks.copy_own();
  for (int distance = 1; distance < size; distance *= 2) {
    const int to = (rank + distance) % size, from = (rank - distance + size) % size;
    const std::int64_t moves = with_bit(size, distance);
    const Scratch sizes(2 * moves * static_cast<std::int64_t>(sizeof(std::int64_t)));
    auto* const out_sizes = reinterpret_cast<std::int64_t*>(sizes.data());
    const std::int64_t* const in_sizes = out_sizes + moves;
    std::int64_t leaving = 0, coming = 0;
    each_run(size, distance, [&](int first, int count, std::int64_t before) {
      for (int i = 0; i < count; ++i) {
        out_sizes[before + i] = moving[first + i].bytes;
        leaving += moving[first + i].bytes;
      }
    });
    const std::int64_t bytes = moves * static_cast<std::int64_t>(sizeof(std::int64_t));
    co_await run.exchange(to, out_sizes, bytes, kByte, from, out_sizes + moves, bytes, kByte);
    for (std::int64_t i = 0; i < moves; ++i) coming += in_sizes[i];

    const Scratch out(leaving, kByte, args.send, Scratch::FilledBy::kCore);
    char* const in = received.emplace_back(coming, kByte, args.receive).data();
    char* row = out.data();
    each_run(size, distance, [&](int first, int count, std::int64_t) {
      for (int position = first; position < first + count; ++position) {
        const Moving& block = moving[position];
        if ((position & (distance - 1)) == 0) {  // the first step of this block
          blocks.pack((rank + position) % size, row);
        } else {
          local_copy(block.at, block.bytes, kByte, row, block.bytes, kByte);
        }
        row += block.bytes;
      }
    });
    co_await run.exchange(to, out.data(), leaving, kByte, from, in, coming, kByte);
    const char* place = in;
    each_run(size, distance, [&](int first, int count, std::int64_t before) {
      for (int i = 0; i < count; ++i) {
        moving[first + i] = {in_sizes[before + i], place};
        place += in_sizes[before + i];
      }
    });
  }
  for (int position = 1; position < size; ++position) {
    const auto& [bytes, at] = moving[position];
    if (!blocks.unpack((rank - position + size) % size, at, bytes)) run.miss({.error = kErrTruncate});
  }
}

// Every rank receives all ranks' whole buffers by recursive doubling and keeps its own blocks.
Schedule alltoall_recursive_doubling(Runner& run, Arguments args) {
  const int size = run.size;
  const std::int64_t block = args.send_bytes();
  const Scratch all(size * size * block, kByte, args.receive);
  Arguments gather;
  gather.send = args.send;
  gather.send_count = size * args.send_count;
  gather.send_type = args.send_type;
  gather.receive = all.data();
  gather.receive_count = size * block;
  gather.receive_type = kByte;
  gather.send_blocks = gather.receive_blocks = size;
  co_await allgather_recursive_doubling(run, gather);
  for (int from = 0; from < size; ++from) {
    local_copy(all.data() + (from * size + run.rank) * block, block, kByte, args.receive_at(from * args.receive_count),
               args.receive_count, args.receive_type);
  }
}

}  // namespace pysmpi
