// Linear scatters: one message from the root to each rank.
#include "collectives/scatter/scatter.hpp"

namespace pysmpi {

Schedule scatter_linear(Runner& run, Arguments a) {
  if (run.rank != a.root) {
    run.receive(a.root, a.receive, a.receive_count, a.receive_type);
  } else {
    copy(a.send_at(run.rank * a.send_count), a.send_count, a.send_type, a.receive, a.receive_count, a.receive_type);
    for (int other = 0; other < run.size; ++other) {
      if (other != run.rank) run.send(other, a.send_at(other * a.send_count), a.send_count, a.send_type);
    }
  }
  co_await run.round();
}

// The root sends the blocks one after the other, in rank order.
Schedule scatter_in_order(Runner& run, Arguments a) {
  if (run.rank != a.root) {
    co_await run.receive_now(a.root, a.receive, a.receive_count, a.receive_type);
    co_return;
  }
  for (int other = 0; other < run.size; ++other) {
    const char* block = a.send_at(other * a.send_count);
    if (other == run.rank) {
      copy(block, a.send_count, a.send_type, a.receive, a.receive_count, a.receive_type);
    } else {
      co_await run.send_now(other, block, a.send_count, a.send_type);
    }
  }
}

}  // namespace pysmpi
