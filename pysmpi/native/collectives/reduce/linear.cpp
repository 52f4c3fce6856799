// Linear reductions: the root receives from each rank.
#include "collectives/reduce/contributions.hpp"
#include "collectives/reduce/reduce.hpp"

namespace pysmpi {

namespace {

Schedule contribute(Runner& run, Arguments args) {
  run.send(args.root, args.send, args.receive_count, args.receive_type);
  co_await run.round();
}

Schedule take_all(Runner& run, Arguments args) {
  local_copy(args.send, args.receive_count, args.receive_type, args.receive, args.receive_count, args.receive_type);
  const auto other = [root = args.root](int i) { return i < root ? i : i + 1; };
  co_await take_contributions(run, args, run.size - 1, other, static_cast<char*>(args.receive));
}

}  // namespace

// Linear: the root receives the messages of all ranks at once. The operation must commute.
Schedule reduce_at_root(Runner& run, Arguments args) {
  return (run.rank == args.root ? take_all : contribute)(run, args);
}

// Linear in order: the root receives from the last rank to the first, one after the other, which keeps the order of
// operands.
Schedule reduce_in_order(Runner& run, Arguments args) {
  if (run.rank != args.root) {
    co_await run.send_now(args.root, args.send, args.receive_count, args.receive_type);
    co_return;
  }
  if (run.rank == run.size - 1) {
    local_copy(args.send, args.receive_count, args.receive_type, args.receive, args.receive_count, args.receive_type);
  } else {
    co_await run.receive_now(run.size - 1, args.receive, args.receive_count, args.receive_type);
  }
  const Scratch other(args.receive_count, args.receive_type, args.receive);
  for (int from = run.size - 2; from >= 0; --from) {
    const void* operand = args.send;
    if (from != run.rank) {
      co_await run.receive_now(from, other.data(), args.receive_count, args.receive_type);
      operand = other.data();
    }
    co_await run.reduce(args.reduction, args.receive_type, operand, args.receive, args.receive_count);
  }
}

}  // namespace pysmpi
