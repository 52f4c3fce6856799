// Binomial and linear broadcasts.
#include "collectives/bcast/bcast.hpp"

namespace pysmpi {

// Binomial tree, log2 P rounds. Ranks are numbered relative to the root. A rank receives from the rank whose number is
// its own without the lowest set bit. Then it sends to the ranks whose numbers differ from its own in one lower bit,
// the farthest first. Example with 6 ranks and root 0: 0 sends to 4, 2 and 1; 4 sends to 5; 2 sends to 3.
Schedule bcast_binomial(Runner& run, Arguments args) {
  const int relative = (run.rank - args.root + run.size) % run.size;
  int distance = 1;
  while (distance < run.size && !(relative & distance)) distance *= 2;
  if (relative != 0) {
    const int parent = (run.rank - distance + run.size) % run.size;
    co_await run.receive_now(parent, args.receive, args.receive_count, args.receive_type);
  }
  for (distance /= 2; distance > 0; distance /= 2) {
    if (relative + distance >= run.size) continue;
    co_await run.send_now((run.rank + distance) % run.size, args.receive, args.receive_count, args.receive_type);
  }
}

// Binomial tree of MPICH's nonblocking broadcast: a rank sends to all its children at once.
Schedule bcast_binomial_at_once(Runner& run, Arguments args) {
  const int relative = (run.rank - args.root + run.size) % run.size;
  int distance = 1;
  while (distance < run.size && !(relative & distance)) distance *= 2;
  if (relative != 0) {
    run.receive((run.rank - distance + run.size) % run.size, args.receive, args.receive_count, args.receive_type);
    co_await run.round();
  }
  for (distance /= 2; distance > 0; distance /= 2) {
    if (relative + distance >= run.size) continue;
    run.send((run.rank + distance) % run.size, args.receive, args.receive_count, args.receive_type);
  }
  co_await run.round();
}

// Linear: the root posts the sends to all ranks at once.
Schedule bcast_linear(Runner& run, Arguments args) {
  if (run.rank != args.root) {
    co_await run.receive_now(args.root, args.receive, args.receive_count, args.receive_type);
    co_return;
  }
  for (int other = 0; other < run.size; ++other) {
    if (other != args.root) run.send(other, args.receive, args.receive_count, args.receive_type);
  }
  co_await run.round();
}

}  // namespace pysmpi
