// Linear reductions: the root receives from each rank.
#include "collectives/reduce/contributions.hpp"
#include "collectives/reduce/reduce.hpp"

namespace pysmpi {

namespace {

Schedule contribute(Runner& run, Arguments a) {
  run.send(a.root, a.send, a.receive_count, a.receive_type);
  co_await run.round();
}

Schedule take_all(Runner& run, Arguments a) {
  copy(a.send, a.receive_count, a.receive_type, a.receive, a.receive_count, a.receive_type);
  const auto other = [root = a.root](int i) { return i < root ? i : i + 1; };
  co_await take_contributions(run, a, run.size - 1, other, static_cast<char*>(a.receive));
}

}  // namespace

// Linear with all messages at once. The operation must commute.
Schedule reduce_at_root(Runner& run, Arguments a) { return (run.rank == a.root ? take_all : contribute)(run, a); }

// Linear in order: the root receives from the last rank to the first, one after the other, which keeps the order of
// operands.
Schedule reduce_in_order(Runner& run, Arguments a) {
  if (run.rank != a.root) {
    co_await run.send_now(a.root, a.send, a.receive_count, a.receive_type);
    co_return;
  }
  if (run.rank == run.size - 1) {
    copy(a.send, a.receive_count, a.receive_type, a.receive, a.receive_count, a.receive_type);
  } else {
    co_await run.receive_now(run.size - 1, a.receive, a.receive_count, a.receive_type);
  }
  const Scratch other(a.receive_count, a.receive_type, a.receive);
  for (int from = run.size - 2; from >= 0; --from) {
    const void* operand = a.send;
    if (from != run.rank) {
      co_await run.receive_now(from, other.data(), a.receive_count, a.receive_type);
      operand = other.data();
    }
    co_await run.reduce(a.reduction, a.receive_type, operand, a.receive, a.receive_count);
  }
}

}  // namespace pysmpi
