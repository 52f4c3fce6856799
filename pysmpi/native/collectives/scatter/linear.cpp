// Linear scatters: one message from the root to each rank.
#include "collectives/scatter/scatter.hpp"

namespace pysmpi {

Schedule scatter_linear(Runner& run, Arguments args) {
  if (run.rank != args.root) {
    run.receive(args.root, args.receive, args.receive_count, args.receive_type);
  } else {
    local_copy(args.send_at(run.rank * args.send_count), args.send_count, args.send_type, args.receive,
               args.receive_count, args.receive_type);
    for (int other = 0; other < run.size; ++other) {
      if (other != run.rank) run.send(other, args.send_at(other * args.send_count), args.send_count, args.send_type);
    }
  }
  co_await run.round();
}

// The root sends the blocks one after the other, in rank order; each other rank receives one message.
Schedule scatter_in_order(Runner& run, Arguments args) {
  if (run.rank != args.root) {
    co_await run.receive_now(args.root, args.receive, args.receive_count, args.receive_type);
    co_return;
  }
  for (int other = 0; other < run.size; ++other) {
    const char* block = args.send_at(other * args.send_count);
    if (other == run.rank) {
      local_copy(block, args.send_count, args.send_type, args.receive, args.receive_count, args.receive_type);
    } else {
      co_await run.send_now(other, block, args.send_count, args.send_type);
    }
  }
}

}  // namespace pysmpi
