// Allgatherv algorithms in which blocks travel between neighbours.
#include <algorithm>
#include <array>

#include "collectives/allgatherv/allgatherv.hpp"
#include "collectives/allgatherv/blocks.hpp"
#include "collectives/sizes.hpp"

namespace pysmpi {

namespace {

// The blocks that pass a rank on their way round the ring, piece by piece: first the block of `rank`, then that of the
// rank below it, and so on.
struct Travelling {
  const Arguments& args;
  int rank;
  std::int64_t left;      // elements of all blocks that have not passed yet
  std::int64_t done = 0;  // elements of the current block that have passed

  std::int64_t next(std::int64_t longest) const {
    return left == 0 ? 0 : std::min(longest, args.receive_counts[rank] - done);
  }
  char* place() const { return args.receive_at(args.receive_displacements[rank] + done); }
  void move(std::int64_t count) {
    left -= count;
    done += count;
    if (done < args.receive_counts[rank]) return;
    done = 0;
    rank = (rank + args.receive_blocks - 1) % args.receive_blocks;
  }
};

// MPICH's ring (allgatherv_intra_ring.c). Blocks travel in pieces as long as the shortest block, but of at least
// `least` bytes.
Schedule go_round_in_pieces(Runner& run, Arguments args, std::int64_t least) {
  const int above = (run.rank + 1) % run.size, below = (run.rank - 1 + run.size) % run.size;
  place_own_block(run, args);
  std::int64_t total = 0, shortest = args.receive_counts[0];
  for (int i = 0; i < run.size; ++i) {
    total += args.receive_counts[i];
    shortest = std::min(shortest, args.receive_counts[i]);
  }
  const std::int64_t extent = std::max<std::int64_t>(args.receive_extent(), 1);
  const std::int64_t piece = shortest * extent < least ? std::max<std::int64_t>(least / extent, 1) : shortest;
  Travelling leaving{args, run.rank, total - args.receive_counts[above]};
  Travelling arriving{args, below, total - args.receive_counts[run.rank]};
  while (leaving.left || arriving.left) {
    const std::int64_t sent = leaving.next(piece), received = arriving.next(piece);
    if (sent && received) {
      co_await run.exchange(above, leaving.place(), sent, args.receive_type, below, arriving.place(), received,
                            args.receive_type);
    } else if (sent) {
      co_await run.send_now(above, leaving.place(), sent, args.receive_type);
    } else if (received) {
      co_await run.receive_now(below, arriving.place(), received, args.receive_type);
    }
    leaving.move(sent);
    arriving.move(received);
  }
}

}  // namespace

// SMPI's limit, and that of MPICH itself (MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE).
Schedule allgatherv_ring(Runner& run, Arguments args) { return go_round_in_pieces(run, args, 256 * kKiB); }
Schedule allgatherv_mpich_ring(Runner& run, Arguments args) { return go_round_in_pieces(run, args, 32 * kKiB); }

// Open MPI's ring, P - 1 rounds: in each step a rank passes on the block that it has received last, empty or not.
Schedule allgatherv_openmpi_ring(Runner& run, Arguments args) {
  const int above = (run.rank + 1) % run.size, below = (run.rank - 1 + run.size) % run.size;
  place_own_block(run, args);
  for (int step = 0; step < run.size - 1; ++step) {
    const int leaving = (run.rank - step + run.size) % run.size, arriving = (below - step + run.size) % run.size;
    co_await run.exchange(above, block_of(args, leaving), args.receive_counts[leaving], args.receive_type, below,
                          block_of(args, arriving), args.receive_counts[arriving], args.receive_type);
  }
}

// Neighbour exchange (Chen, Zhang, Zhang, Yuan 2005), P / 2 rounds: neighbours exchange one block in the first step and
// two blocks in each later step, alternately with the rank above and the rank below.
Schedule allgatherv_neighbour_exchange(Runner& run, Arguments args) {
  const int rank = run.rank, size = run.size;
  if (size % 2 != 0) {
    note_fallback("allgatherv", "ompi_neighborexchange", "ring", "the number of ranks is odd");
    co_await allgatherv_by_distance(run, args);
    co_return;
  }
  place_own_block(run, args);
  const bool even = rank % 2 == 0;
  const int above = (rank + 1) % size, below = (rank - 1 + size) % size;
  const std::array<int, 2> neighbour = even ? std::array{above, below} : std::array{below, above};
  const std::array<int, 2> stride = even ? std::array{2, size - 2} : std::array{size - 2, 2};
  int leaving = rank - rank % 2;
  std::array<int, 2> arriving = {leaving, leaving};  // first of the two blocks of the next message
  co_await run.exchange(neighbour[0], block_of(args, rank), args.receive_counts[rank], args.receive_type, neighbour[0],
                        block_of(args, neighbour[0]), args.receive_counts[neighbour[0]], args.receive_type);
  for (int step = 1; step < size / 2; ++step) {
    const int way = step % 2;
    arriving[way] = (arriving[way] + stride[way]) % size;
    const JoinedBlocks out(args, leaving, 2, true), in(args, arriving[way], 2, false);
    co_await run.exchange(neighbour[way], out.data(), out.size(), kByte, neighbour[way], in.data(), in.size(), kByte);
    in.unpack();
    leaving = arriving[way];
  }
}

}  // namespace pysmpi
