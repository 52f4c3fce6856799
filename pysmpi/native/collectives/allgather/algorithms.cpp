// Gathering at all ranks.
#include <array>

#include "collectives/allgather/allgather.hpp"
#include "collectives/trees.hpp"

namespace pysmpi {

namespace {

void place_own_block(const Runner& run, const Arguments& a) {
  copy(a.send, a.send_count, a.send_type, a.receive_at(run.rank * a.receive_count), a.receive_count, a.receive_type);
}

}  // namespace

Schedule allgather_linear(Runner& run, Arguments a) {
  place_own_block(run, a);
  for (int other = 0; other < run.size; ++other) {
    if (other == run.rank) continue;
    run.send(other, a.send, a.send_count, a.send_type);
    run.receive(other, a.receive_at(other * a.receive_count), a.receive_count, a.receive_type);
  }
  co_await run.round();
}

// One step a distance: to the rank that far above, from the one that far below. SMPI calls it a ring.
Schedule allgather_by_distance(Runner& run, Arguments a) {
  place_own_block(run, a);
  for (int i = 1; i < run.size; ++i) {
    const int to = (run.rank + i) % run.size, from = (run.rank - i + run.size) % run.size;
    co_await run.exchange(to, a.send, a.send_count, a.send_type, from, a.receive_at(from * a.receive_count),
                          a.receive_count, a.receive_type);
  }
}

// One partner a step by exclusive or. Where the number of ranks is no power of two: by distance.
Schedule allgather_pairwise(Runner& run, Arguments a) {
  if (run.size & (run.size - 1)) {
    co_await allgather_by_distance(run, a);
    co_return;
  }
  place_own_block(run, a);
  for (int i = 1; i < run.size; ++i) {
    const int partner = run.rank ^ i;
    co_await run.exchange(partner, a.send, a.send_count, a.send_type, partner, a.receive_at(partner * a.receive_count),
                          a.receive_count, a.receive_type);
  }
}

Schedule allgather_recursive_doubling(Runner& run, Arguments a) {
  const int rank = run.rank, size = run.size;
  place_own_block(run, a);
  for (int distance = 1; distance < size; distance *= 2) {
    const int partner = rank ^ distance;
    const int mine = rank & ~(distance - 1), theirs = partner & ~(distance - 1);
    const std::int64_t sent = std::min(distance, size - mine) * a.receive_count;
    const std::int64_t received = std::max(0, std::min(distance, size - theirs)) * a.receive_count;
    if (partner < size) {
      co_await run.exchange(partner, a.receive_at(mine * a.receive_count), sent, a.receive_type, partner,
                            a.receive_at(theirs * a.receive_count), received, a.receive_type);
    }
    const int complete = theirs + distance > size ? size - mine - distance : 0;
    if (complete > 0) {
      co_await spread_in_subtree(run, distance, complete, a.receive_at(theirs * a.receive_count), received,
                                 a.receive_type);
    }
  }
}

// Bruck et al. 1997: the blocks above one's own, twice as many each step, put in place at the end.
Schedule allgather_bruck(Runner& run, Arguments a) {
  const int rank = run.rank, size = run.size;
  const std::int64_t block = a.receive_bytes();
  const Scratch blocks(size * block, kByte, a.receive);
  copy(a.send, a.send_count, a.send_type, blocks.data(), block, kByte);
  for (int held = 1; held < size; held *= 2) {
    const std::int64_t bytes = std::min(held, size - held) * block;
    co_await run.exchange((rank - held + size) % size, blocks.data(), bytes, kByte, (rank + held) % size,
                          blocks.data() + held * block, bytes, kByte);
  }
  const int above = size - rank;
  copy(blocks.data(), above * block, kByte, a.receive_at(rank * a.receive_count), above * a.receive_count,
       a.receive_type);
  copy(blocks.data() + above * block, rank * block, kByte, a.receive, rank * a.receive_count, a.receive_type);
}

// Chen, Zhang, Zhang, Yuan 2005: pairs of neighbours exchange two blocks a step, alternately with the one above and the
// one below. An odd number of ranks: by distance.
Schedule allgather_neighbour_exchange(Runner& run, Arguments a) {
  const int rank = run.rank, size = run.size;
  if (size % 2 != 0) {
    co_await allgather_by_distance(run, a);
    co_return;
  }
  place_own_block(run, a);
  const bool even = rank % 2 == 0;
  const int above = (rank + 1) % size, below = (rank - 1 + size) % size;
  const std::array<int, 2> neighbour = even ? std::array{above, below} : std::array{below, above};
  const std::array<int, 2> stride = even ? std::array{2, size - 2} : std::array{size - 2, 2};
  std::array<int, 2> arriving = {rank - rank % 2, rank - rank % 2};  // first of the two blocks of the next message
  const auto block = [&a](int i) { return a.receive_at(i * a.receive_count); };
  co_await run.exchange(neighbour[0], block(rank), a.receive_count, a.receive_type, neighbour[0], block(neighbour[0]),
                        a.receive_count, a.receive_type);
  int leaving = rank - rank % 2;
  for (int step = 1; step < size / 2; ++step) {
    const int way = step % 2;
    arriving[way] = (arriving[way] + stride[way]) % size;
    co_await run.exchange(neighbour[way], block(leaving), 2 * a.receive_count, a.receive_type, neighbour[way],
                          block(arriving[way]), 2 * a.receive_count, a.receive_type);
    leaving = arriving[way];
  }
}

Schedule allgatherv_linear(Runner& run, Arguments a) {
  for (int other = 0; other < run.size; ++other) {
    char* block = a.receive_at(a.receive_displacements[other]);
    if (other == run.rank) {
      copy(a.send, a.send_count, a.send_type, block, a.receive_counts[other], a.receive_type);
    } else {
      run.send(other, a.send, a.send_count, a.send_type);
      run.receive(other, block, a.receive_counts[other], a.receive_type);
    }
  }
  co_await run.round();
}

}  // namespace pysmpi
