// Linear prefix reductions: along a chain of ranks, or from each rank to all higher ranks.
#include "collectives/scan/scan.hpp"

namespace pysmpi {

namespace {

// Sends the rank's contribution to all higher ranks and receives those of all lower ranks into `below`, in rank order.
// If the operation is not commutative, receives complete in rank order, as in SimGrid 3.32 (smpi_coll.cpp).
Schedule spread_upwards(Runner& run, Arguments args, char* below) {
  const std::int64_t step = args.receive_count * args.receive_extent();
  if (!args.reduction.commutative) {
    for (int other = 0; other < run.rank; ++other) {
      run.start_receive(other, below + other * step, args.receive_count, args.receive_type);
    }
    for (int other = run.rank + 1; other < run.size; ++other) {
      co_await run.start_send(other, args.send, args.receive_count, args.receive_type);
    }
    for (int other = 0; other < run.rank; ++other) co_await run.finish_first();
    co_await run.round();
    co_return;
  }
  for (int other = 0; other < run.rank; ++other) {
    run.receive(other, below + other * step, args.receive_count, args.receive_type);
  }
  for (int other = run.rank + 1; other < run.size; ++other)
    run.send(other, args.send, args.receive_count, args.receive_type);
  co_await run.round();
}

}  // namespace

Schedule scan_linear(Runner& run, Arguments args) {
  const Scratch below(run.rank * args.receive_count, args.receive_type, args.receive);
  co_await spread_upwards(run, args, below.data());
  local_copy(args.send, args.receive_count, args.receive_type, args.receive, args.receive_count, args.receive_type);
  const std::int64_t step = args.receive_count * args.receive_extent();
  for (int other = run.rank - 1; other >= 0; --other) {
    co_await run.reduce(args.reduction, args.receive_type, below.data() + other * step, args.receive,
                        args.receive_count);
  }
}

// Leaves rank 0's receive buffer unchanged, because no lower rank contributes to it.
Schedule exscan_linear(Runner& run, Arguments args) {
  const Scratch below(run.rank * args.receive_count, args.receive_type, args.receive);
  co_await spread_upwards(run, args, below.data());
  if (run.rank == 0) co_return;
  const std::int64_t step = args.receive_count * args.receive_extent();
  const char* last = below.data() + (run.rank - 1) * step;
  local_copy(last, args.receive_count, args.receive_type, args.receive, args.receive_count, args.receive_type);
  for (int other = run.rank - 2; other >= 0; --other) {
    co_await run.reduce(args.reduction, args.receive_type, below.data() + other * step, args.receive,
                        args.receive_count);
  }
}

// Chain (Open MPI), P - 1 rounds: each rank sends its partial result to the next one.
Schedule scan_chain(Runner& run, Arguments args) {
  local_copy(args.send, args.receive_count, args.receive_type, args.receive, args.receive_count, args.receive_type);
  if (run.rank > 0) {
    const Scratch below(args.receive_count, args.receive_type, args.receive);
    co_await run.receive_now(run.rank - 1, below.data(), args.receive_count, args.receive_type);
    co_await run.reduce(args.reduction, args.receive_type, below.data(), args.receive, args.receive_count);
  }
  if (run.rank < run.size - 1) co_await run.send_now(run.rank + 1, args.receive, args.receive_count, args.receive_type);
}

Schedule exscan_chain(Runner& run, Arguments args) {
  if (run.rank > 0) co_await run.receive_now(run.rank - 1, args.receive, args.receive_count, args.receive_type);
  if (run.rank == run.size - 1) co_return;
  const Scratch sum(args.receive_count, args.receive_type, args.receive);
  local_copy(args.send, args.receive_count, args.receive_type, sum.data(), args.receive_count, args.receive_type);
  if (run.rank > 0)
    co_await run.reduce(args.reduction, args.receive_type, args.receive, sum.data(), args.receive_count);
  co_await run.send_now(run.rank + 1, sum.data(), args.receive_count, args.receive_type);
}

}  // namespace pysmpi
