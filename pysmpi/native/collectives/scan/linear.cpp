// Linear prefix reductions: along a chain of ranks, or from each rank to all higher ranks.
#include "collectives/scan/scan.hpp"

namespace pysmpi {

namespace {

// Sends the rank's contribution to all higher ranks and receives those of all lower ranks into `below`, in rank order.
// If the operation is not commutative, receives complete in rank order, as in SimGrid 3.32 (smpi_coll.cpp).
Schedule spread_upwards(Runner& run, Arguments a, char* below) {
  const std::int64_t step = a.receive_count * a.receive_extent();
  if (!a.reduction.commutative) {
    for (int other = 0; other < run.rank; ++other) {
      run.start_receive(other, below + other * step, a.receive_count, a.receive_type);
    }
    for (int other = run.rank + 1; other < run.size; ++other) {
      co_await run.start_send(other, a.send, a.receive_count, a.receive_type);
    }
    for (int other = 0; other < run.rank; ++other) co_await run.finish_first();
    co_await run.round();
    co_return;
  }
  for (int other = 0; other < run.rank; ++other) {
    run.receive(other, below + other * step, a.receive_count, a.receive_type);
  }
  for (int other = run.rank + 1; other < run.size; ++other) run.send(other, a.send, a.receive_count, a.receive_type);
  co_await run.round();
}

}  // namespace

Schedule scan_linear(Runner& run, Arguments a) {
  const Scratch below(run.rank * a.receive_count, a.receive_type, a.receive);
  co_await spread_upwards(run, a, below.data());
  copy(a.send, a.receive_count, a.receive_type, a.receive, a.receive_count, a.receive_type);
  const std::int64_t step = a.receive_count * a.receive_extent();
  for (int other = run.rank - 1; other >= 0; --other) {
    co_await run.reduce(a.reduction, a.receive_type, below.data() + other * step, a.receive, a.receive_count);
  }
}

// Rank 0's receive buffer keeps its contents.
Schedule exscan_linear(Runner& run, Arguments a) {
  const Scratch below(run.rank * a.receive_count, a.receive_type, a.receive);
  co_await spread_upwards(run, a, below.data());
  if (run.rank == 0) co_return;
  const std::int64_t step = a.receive_count * a.receive_extent();
  const char* last = below.data() + (run.rank - 1) * step;
  copy(last, a.receive_count, a.receive_type, a.receive, a.receive_count, a.receive_type);
  for (int other = run.rank - 2; other >= 0; --other) {
    co_await run.reduce(a.reduction, a.receive_type, below.data() + other * step, a.receive, a.receive_count);
  }
}

// Chain (Open MPI), P - 1 rounds: each rank sends its partial result to the next one.
Schedule scan_chain(Runner& run, Arguments a) {
  copy(a.send, a.receive_count, a.receive_type, a.receive, a.receive_count, a.receive_type);
  if (run.rank > 0) {
    const Scratch below(a.receive_count, a.receive_type, a.receive);
    co_await run.receive_now(run.rank - 1, below.data(), a.receive_count, a.receive_type);
    co_await run.reduce(a.reduction, a.receive_type, below.data(), a.receive, a.receive_count);
  }
  if (run.rank < run.size - 1) co_await run.send_now(run.rank + 1, a.receive, a.receive_count, a.receive_type);
}

Schedule exscan_chain(Runner& run, Arguments a) {
  if (run.rank > 0) co_await run.receive_now(run.rank - 1, a.receive, a.receive_count, a.receive_type);
  if (run.rank == run.size - 1) co_return;
  const Scratch sum(a.receive_count, a.receive_type, a.receive);
  copy(a.send, a.receive_count, a.receive_type, sum.data(), a.receive_count, a.receive_type);
  if (run.rank > 0) co_await run.reduce(a.reduction, a.receive_type, a.receive, sum.data(), a.receive_count);
  co_await run.send_now(run.rank + 1, sum.data(), a.receive_count, a.receive_type);
}

}  // namespace pysmpi
