// Blocks travel from neighbour to neighbour.
#include <algorithm>
#include <array>

#include "collectives/allgatherv/allgatherv.hpp"
#include "collectives/allgatherv/blocks.hpp"

namespace pysmpi {

namespace {

// One rank's block on its way round, piece by piece; then that of the rank before.
struct Travelling {
  const Arguments& a;
  int rank;
  std::int64_t left;      // elements of all blocks that are still to pass
  std::int64_t done = 0;  // of this block

  std::int64_t next(std::int64_t longest) const {
    return left == 0 ? 0 : std::min(longest, a.receive_counts[rank] - done);
  }
  char* place() const { return a.receive_at(a.receive_displacements[rank] + done); }
  void move(std::int64_t count) {
    left -= count;
    done += count;
    if (done < a.receive_counts[rank]) return;
    done = 0;
    rank = (rank + a.receive_blocks - 1) % a.receive_blocks;
  }
};

}  // namespace

// MPICH's: pieces as long as the shortest block, and of at least 256 KiB (allgatherv_intra_ring.c; SMPI's size).
Schedule allgatherv_ring(Runner& run, Arguments a) {
  constexpr std::int64_t kPiece = 256 * 1024;
  const int above = (run.rank + 1) % run.size, below = (run.rank - 1 + run.size) % run.size;
  place_own_block(run, a);
  std::int64_t total = 0, shortest = a.receive_counts[0];
  for (int i = 0; i < run.size; ++i) {
    total += a.receive_counts[i];
    shortest = std::min(shortest, a.receive_counts[i]);
  }
  const std::int64_t extent = std::max<std::int64_t>(a.receive_extent(), 1);
  const std::int64_t piece = shortest * extent < kPiece ? std::max<std::int64_t>(kPiece / extent, 1) : shortest;
  Travelling leaving{a, run.rank, total - a.receive_counts[above]};
  Travelling arriving{a, below, total - a.receive_counts[run.rank]};
  while (leaving.left || arriving.left) {
    const std::int64_t sent = leaving.next(piece), received = arriving.next(piece);
    if (sent && received) {
      co_await run.exchange(above, leaving.place(), sent, a.receive_type, below, arriving.place(), received,
                            a.receive_type);
    } else if (sent) {
      co_await run.send_now(above, leaving.place(), sent, a.receive_type);
    } else if (received) {
      co_await run.receive_now(below, arriving.place(), received, a.receive_type);
    }
    leaving.move(sent);
    arriving.move(received);
  }
}

// Chen, Zhang, Zhang, Yuan 2005: pairs of neighbours exchange two blocks a step, alternately with the one above and the
// one below.
Schedule allgatherv_neighbour_exchange(Runner& run, Arguments a) {
  const int rank = run.rank, size = run.size;
  if (size % 2 != 0) {
    note_fallback("allgatherv", "ompi_neighborexchange", "ring", "the number of ranks is odd");
    co_await allgatherv_by_distance(run, a);
    co_return;
  }
  place_own_block(run, a);
  const bool even = rank % 2 == 0;
  const int above = (rank + 1) % size, below = (rank - 1 + size) % size;
  const std::array<int, 2> neighbour = even ? std::array{above, below} : std::array{below, above};
  const std::array<int, 2> stride = even ? std::array{2, size - 2} : std::array{size - 2, 2};
  int leaving = rank - rank % 2;
  std::array<int, 2> arriving = {leaving, leaving};  // first of the two blocks of the next message
  co_await run.exchange(neighbour[0], block_of(a, rank), a.receive_counts[rank], a.receive_type, neighbour[0],
                        block_of(a, neighbour[0]), a.receive_counts[neighbour[0]], a.receive_type);
  for (int step = 1; step < size / 2; ++step) {
    const int way = step % 2;
    arriving[way] = (arriving[way] + stride[way]) % size;
    const JoinedBlocks out(a, leaving, 2, true), in(a, arriving[way], 2, false);
    co_await run.exchange(neighbour[way], out.data(), out.size(), kByte, neighbour[way], in.data(), in.size(), kByte);
    in.unpack();
    leaving = arriving[way];
  }
}

}  // namespace pysmpi
