// Allgatherv algorithms in which each rank sends its block directly to all others.
#include "collectives/allgatherv/allgatherv.hpp"
#include "collectives/allgatherv/blocks.hpp"

namespace pysmpi {

Schedule allgatherv_linear(Runner& run, Arguments args) {
  place_own_block(run, args);
  for (int other = 0; other < run.size; ++other) {
    if (other == run.rank) continue;
    run.send(other, args.send, args.send_count, args.send_type);
    run.receive(other, block_of(args, other), args.receive_counts[other], args.receive_type);
  }
  co_await run.round();
}

// P - 1 rounds: in step i each rank sends to the rank i places above it and receives from the rank i places below it.
// SMPI calls this algorithm a ring.
Schedule allgatherv_by_distance(Runner& run, Arguments args) {
  place_own_block(run, args);
  for (int i = 1; i < run.size; ++i) {
    const int to = (run.rank + i) % run.size, from = (run.rank - i + run.size) % run.size;
    co_await run.exchange(to, args.send, args.send_count, args.send_type, from, block_of(args, from),
                          args.receive_counts[from], args.receive_type);
  }
}

// Pairwise exchange: in step i the partner is the rank's number XOR i.
Schedule allgatherv_pairwise(Runner& run, Arguments args) {
  if (run.size & (run.size - 1)) {
    note_fallback("allgatherv", "pair", "ring", "the number of ranks is not a power of two");
    co_await allgatherv_by_distance(run, args);
    co_return;
  }
  place_own_block(run, args);
  for (int i = 1; i < run.size; ++i) {
    const int partner = run.rank ^ i;
    co_await run.exchange(partner, args.send, args.send_count, args.send_type, partner, block_of(args, partner),
                          args.receive_counts[partner], args.receive_type);
  }
}

}  // namespace pysmpi
