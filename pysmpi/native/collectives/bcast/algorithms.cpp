// Broadcasts.
#include "collectives/bcast/bcast.hpp"

namespace pysmpi {

// Each rank hears from the one that differs from it in its lowest set bit (relative to the root), and then sends to
// those that differ in a lower one, farthest first.
Schedule bcast_binomial(Runner& run, Arguments a) {
  const int relative = (run.rank - a.root + run.size) % run.size;
  int distance = 1;
  while (distance < run.size && !(relative & distance)) distance *= 2;
  if (relative != 0) {
    const int parent = (run.rank - distance + run.size) % run.size;
    co_await run.receive_now(parent, a.receive, a.receive_count, a.receive_type);
  }
  for (distance /= 2; distance > 0; distance /= 2) {
    if (relative + distance >= run.size) continue;
    co_await run.send_now((run.rank + distance) % run.size, a.receive, a.receive_count, a.receive_type);
  }
}

// The root sends to all at once.
Schedule bcast_linear(Runner& run, Arguments a) {
  if (run.rank != a.root) {
    co_await run.receive_now(a.root, a.receive, a.receive_count, a.receive_type);
    co_return;
  }
  for (int other = 0; other < run.size; ++other) {
    if (other != a.root) run.send(other, a.receive, a.receive_count, a.receive_type);
  }
  co_await run.round();
}

}  // namespace pysmpi
