// Allgather algorithms in which blocks travel between neighbours.
#include <array>

#include "collectives/allgather/allgather.hpp"
#include "collectives/allgather/blocks.hpp"

namespace pysmpi {

// Ring (Patarasuk, Yuan 2007), P - 1 rounds: each rank passes the block that it received last to the rank above.
Schedule allgather_ring(Runner& run, Arguments args) {
  const int rank = run.rank, size = run.size;
  if (!has_equal_lengths(args)) {
    note_fallback("allgather", "NTSLR", "linear", kUnequalLengths);
    co_await allgather_linear(run, args);
    co_return;
  }
  place_own_equal_block(run, args);
  for (int i = 0; i < size - 1; ++i) {
    const int leaving = (rank - i + size) % size, arriving = (rank - i - 1 + size) % size;
    co_await exchange_blocks(run, args, (rank + 1) % size, leaving, (rank - 1 + size) % size, arriving, 1);
  }
}

// The ring algorithm with all receives posted before anything is sent.
Schedule allgather_ring_posted(Runner& run, Arguments args) {
  const int rank = run.rank, size = run.size;
  if (!has_equal_lengths(args)) {
    note_fallback("allgather", "NTSLR_NB", "linear", kUnequalLengths);
    co_await allgather_linear(run, args);
    co_return;
  }
  place_own_equal_block(run, args);
  for (int i = 1; i < size; ++i) {
    run.start_receive((rank - 1 + size) % size, equal_block_of(args, (rank - i + size) % size), args.receive_count,
                      args.receive_type);
  }
  for (int i = 0; i < size - 1; ++i) {
    co_await run.start_send((rank + 1) % size, equal_block_of(args, (rank - i + size) % size), args.receive_count,
                            args.receive_type);
    co_await run.finish_first();
    co_await run.round();
  }
}

// Neighbour exchange (Chen, Zhang, Zhang, Yuan 2005), P / 2 rounds: neighbours exchange one block in the first step and
// two blocks in each later step, alternately with the rank above and the rank below.
Schedule allgather_neighbour_exchange(Runner& run, Arguments args) {
  const int rank = run.rank, size = run.size;
  if (size % 2 != 0) {
    note_fallback("allgather", "ompi_neighborexchange", "ring", "the number of ranks is odd");
    co_await allgather_by_distance(run, args);
    co_return;
  }
  place_own_equal_block(run, args);
  const bool even = rank % 2 == 0;
  const int above = (rank + 1) % size, below = (rank - 1 + size) % size;
  const std::array<int, 2> neighbour = even ? std::array{above, below} : std::array{below, above};
  const std::array<int, 2> stride = even ? std::array{2, size - 2} : std::array{size - 2, 2};
  std::array<int, 2> arriving = {rank - rank % 2, rank - rank % 2};  // first of the two blocks of the next message
  co_await exchange_blocks(run, args, neighbour[0], rank, neighbour[0], neighbour[0], 1);
  int leaving = rank - rank % 2;
  for (int step = 1; step < size / 2; ++step) {
    const int way = step % 2;
    arriving[way] = (arriving[way] + stride[way]) % size;
    co_await exchange_blocks(run, args, neighbour[way], leaving, neighbour[way], arriving[way], 2);
    leaving = arriving[way];
  }
}

}  // namespace pysmpi
