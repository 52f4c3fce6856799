// Allgather algorithms in which each rank sends its block directly to all others.
#include "collectives/allgather/allgather.hpp"
#include "collectives/allgather/blocks.hpp"

namespace pysmpi {

// Linear: all sends and receives are posted at once, in rank order.
Schedule allgather_linear(Runner& run, Arguments args) {
  place_own_equal_block(run, args);
  for (int other = 0; other < run.size; ++other) {
    if (other == run.rank) continue;
    run.send(other, args.send, args.send_count, args.send_type);
    run.receive(other, args.receive_at(other * args.receive_count), args.receive_count, args.receive_type);
  }
  co_await run.round();
}

// Linear, but each rank sends to the rank above it first and to the rank below it last. All receives are posted before
// anything is sent.
Schedule allgather_spreading(Runner& run, Arguments args) {
  place_own_equal_block(run, args);
  for (int i = 1; i < run.size; ++i) {
    const int from = (run.rank + i) % run.size;
    run.receive(from, equal_block_of(args, from), args.receive_count, args.receive_type);
  }
  for (int i = 1; i < run.size; ++i) run.send((run.rank + i) % run.size, args.send, args.send_count, args.send_type);
  co_await run.round();
}

// P - 1 rounds: in step i each rank sends to the rank i places above it and receives from the rank i places below it.
// SMPI calls this algorithm a ring.
Schedule allgather_by_distance(Runner& run, Arguments args) {
  place_own_equal_block(run, args);
  for (int i = 1; i < run.size; ++i) {
    const int to = (run.rank + i) % run.size, from = (run.rank - i + run.size) % run.size;
    co_await run.exchange(to, args.send, args.send_count, args.send_type, from,
                          args.receive_at(from * args.receive_count), args.receive_count, args.receive_type);
  }
}

// Pairwise exchange, P - 1 rounds: in step i the partner is the rank's number XOR i. The number of ranks must be a
// power of two.
Schedule allgather_pairwise(Runner& run, Arguments args) {
  if (run.size & (run.size - 1)) {
    note_fallback("allgather", "pair", "ring", "the number of ranks is not a power of two");
    co_await allgather_by_distance(run, args);
    co_return;
  }
  place_own_equal_block(run, args);
  for (int i = 1; i < run.size; ++i) {
    const int partner = run.rank ^ i;
    co_await run.exchange(partner, args.send, args.send_count, args.send_type, partner,
                          args.receive_at(partner * args.receive_count), args.receive_count, args.receive_type);
  }
}

}  // namespace pysmpi
