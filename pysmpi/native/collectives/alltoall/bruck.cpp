// Alltoall algorithms with a logarithmic number of rounds, in which messages contain many blocks.
#include <algorithm>
#include <cstring>

#include "collectives/allgather/allgather.hpp"
#include "collectives/alltoall/alltoall.hpp"
#include "collectives/packed.hpp"
#include "rank_memory/folded.hpp"

namespace pysmpi {

namespace {

// A row of contiguous blocks of equal size. Blocks in folded memory (rank_memory/folded.hpp) have no contents and are
// not copied.
struct Row {
  char* data;
  std::int64_t block;  // bytes
  bool folded = is_folded(data);

  char* at(std::int64_t i) const { return data + i * block; }
  void get(std::int64_t i, std::int64_t count, const char* from) const {
    if (!folded && block > 0) std::memcpy(at(i), from, count * block);
  }
  void reverse(std::int64_t begin, std::int64_t end) const {
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
// position j of the receive buffer. Two scratch buffers of half that size hold the blocks that leave and arrive in a
// step.
Schedule alltoall_bruck(Runner& run, Arguments args) {
  const int rank = run.rank, size = run.size;
  const std::int64_t block = args.send_bytes();
  const Packed result(args.receive, args.receive_count * size, args.receive_type, false);
  const Scratch leaving(size / 2 * block, kByte, args.receive), coming(size / 2 * block, kByte, args.receive);
  const Row blocks{result.data(), block}, out{leaving.data(), block}, in{coming.data(), block};
  const int above = size - rank;
  copy(args.send_at(rank * args.send_count), above * args.send_count, args.send_type, blocks.data, above * block,
       kByte);
  copy(args.send, rank * args.send_count, args.send_type, blocks.at(above), rank * block, kByte);
  for (int distance = 1; distance < size; distance *= 2) {
    if (!blocks.folded) {
      each_run(size, distance, [&](int first, int count, std::int64_t to) { out.get(to, count, blocks.at(first)); });
    }
    const std::int64_t bytes = with_bit(size, distance) * block;
    co_await run.exchange((rank + distance) % size, out.data, bytes, kByte, (rank - distance + size) % size, in.data,
                          bytes, kByte);
    if (!blocks.folded) {
      each_run(size, distance, [&](int first, int count, std::int64_t from) { blocks.get(first, count, in.at(from)); });
    }
  }
  // The block at position j now comes from the rank j places below. Reversing the order puts the blocks into rank
  // order.
  blocks.reverse(0, rank + 1);
  blocks.reverse(rank + 1, size);
  result.unpack();
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
    copy(all.data() + (from * size + run.rank) * block, block, kByte, args.receive_at(from * args.receive_count),
         args.receive_count, args.receive_type);
  }
}

}  // namespace pysmpi
