// A block goes to one rank after the other, or to all at once.
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

// One step a distance: to the rank that far above, from the one that far below. SMPI calls it a ring.
Schedule allgatherv_by_distance(Runner& run, Arguments a) {
  place_own_block(run, a);
  for (int i = 1; i < run.size; ++i) {
    const int to = (run.rank + i) % run.size, from = (run.rank - i + run.size) % run.size;
    co_await run.exchange(to, a.send, a.send_count, a.send_type, from, block_of(a, from), a.receive_counts[from],
                          a.receive_type);
  }
}

// One partner a step by exclusive or.
Schedule allgatherv_pairwise(Runner& run, Arguments a) {
  if (run.size & (run.size - 1)) {
    note_fallback("allgatherv", "pair", "ring", "the number of ranks is no power of two");
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
