// Allgather algorithms in which each rank sends its block directly to all others.
#include "collectives/allgather/allgather.hpp"
#include "collectives/allgather/blocks.hpp"

namespace pysmpi {

// Linear: all sends and receives are posted at once, in rank order.
Schedule allgather_linear(Runner& run, Arguments a) {
  place_own_equal_block(run, a);
  for (int other = 0; other < run.size; ++other) {
    if (other == run.rank) continue;
    run.send(other, a.send, a.send_count, a.send_type);
    run.receive(other, a.receive_at(other * a.receive_count), a.receive_count, a.receive_type);
  }
  co_await run.round();
}

// Like allgather_linear, but starts with the ranks above the own one. All receives are posted before anything is sent.
Schedule allgather_spreading(Runner& run, Arguments a) {
  place_own_equal_block(run, a);
  for (int i = 1; i < run.size; ++i) {
    const int from = (run.rank + i) % run.size;
    run.receive(from, equal_block_of(a, from), a.receive_count, a.receive_type);
  }
  for (int i = 1; i < run.size; ++i) run.send((run.rank + i) % run.size, a.send, a.send_count, a.send_type);
  co_await run.round();
}

// P - 1 rounds: in step i each rank sends to the rank i above and receives from the rank i below. SMPI calls it a ring.
Schedule allgather_by_distance(Runner& run, Arguments a) {
  place_own_equal_block(run, a);
  for (int i = 1; i < run.size; ++i) {
    const int to = (run.rank + i) % run.size, from = (run.rank - i + run.size) % run.size;
    co_await run.exchange(to, a.send, a.send_count, a.send_type, from, a.receive_at(from * a.receive_count),
                          a.receive_count, a.receive_type);
  }
}

// Pairwise exchange, P - 1 rounds: in step i the partner is the rank's number XOR i. It needs a power-of-two number of
// ranks.
Schedule allgather_pairwise(Runner& run, Arguments a) {
  if (run.size & (run.size - 1)) {
    note_fallback("allgather", "pair", "ring", "the number of ranks is not a power of two");
    co_await allgather_by_distance(run, a);
    co_return;
  }
  place_own_equal_block(run, a);
  for (int i = 1; i < run.size; ++i) {
    const int partner = run.rank ^ i;
    co_await run.exchange(partner, a.send, a.send_count, a.send_type, partner, a.receive_at(partner * a.receive_count),
                          a.receive_count, a.receive_type);
  }
}

}  // namespace pysmpi
