// Allgatherv algorithms in which each rank sends its block directly to all others.
#include "collectives/allgatherv/allgatherv.hpp"
#include "collectives/allgatherv/blocks.hpp"

namespace pysmpi {

Schedule allgatherv_linear(Runner& run, Arguments a) {
  place_own_block(run, a);
  for (int other = 0; other < run.size; ++other) {
    if (other == run.rank) continue;
    run.send(other, a.send, a.send_count, a.send_type);
    run.receive(other, block_of(a, other), a.receive_counts[other], a.receive_type);
  }
  co_await run.round();
}

// P - 1 rounds: in step i each rank sends to the rank i above and receives from the rank i below. SMPI calls it a ring.
Schedule allgatherv_by_distance(Runner& run, Arguments a) {
  place_own_block(run, a);
  for (int i = 1; i < run.size; ++i) {
    const int to = (run.rank + i) % run.size, from = (run.rank - i + run.size) % run.size;
    co_await run.exchange(to, a.send, a.send_count, a.send_type, from, block_of(a, from), a.receive_counts[from],
                          a.receive_type);
  }
}

// Pairwise exchange: in step i the partner is the rank's number XOR i.
Schedule allgatherv_pairwise(Runner& run, Arguments a) {
  if (run.size & (run.size - 1)) {
    note_fallback("allgatherv", "pair", "ring", "the number of ranks is not a power of two");
    co_await allgatherv_by_distance(run, a);
    co_return;
  }
  place_own_block(run, a);
  for (int i = 1; i < run.size; ++i) {
    const int partner = run.rank ^ i;
    co_await run.exchange(partner, a.send, a.send_count, a.send_type, partner, block_of(a, partner),
                          a.receive_counts[partner], a.receive_type);
  }
}

}  // namespace pysmpi
