// Reductions of whole buffers up binomial and k-nomial trees.
#include <algorithm>
#include <vector>

#include "collectives/reduce/contributions.hpp"
#include "collectives/reduce/reduce.hpp"

namespace pysmpi {

// Binomial tree, log2 P rounds. If the operation is not commutative, the tree's root is rank 0, which keeps the order
// of operands; rank 0 then sends the result to the root.
Schedule reduce_binomial_even_empty(Runner& run, Arguments args) {
  const bool at_root = run.rank == args.root, commutes = args.reduction.commutative;
  const int top = commutes ? args.root : 0, number = (run.rank - top + run.size) % run.size;
  const Scratch other(args.receive_count, args.receive_type, args.send);
  const Scratch own(at_root ? 0 : args.receive_count, args.receive_type, args.send, Scratch::FilledBy::kCore);
  char* const result = at_root ? static_cast<char*>(args.receive) : own.data();
  local_copy(args.send, args.receive_count, args.receive_type, result, args.receive_count, args.receive_type);
  for (int distance = 1; distance < run.size; distance *= 2) {
    if (number & distance) {
      co_await run.send_now((number - distance + top) % run.size, result, args.receive_count, args.receive_type);
      break;
    }
    if (number + distance >= run.size) continue;
    co_await run.receive_now((number + distance + top) % run.size, other.data(), args.receive_count, args.receive_type);
    if (commutes) {
      co_await run.reduce(args.reduction, args.receive_type, other.data(), result, args.receive_count);
    } else {
      co_await run.reduce(args.reduction, args.receive_type, result, other.data(), args.receive_count);
      local_copy(other.data(), args.receive_count, args.receive_type, result, args.receive_count, args.receive_type);
    }
  }
  if (top == args.root) co_return;
  if (run.rank == top) co_await run.send_now(args.root, result, args.receive_count, args.receive_type);
  if (at_root) co_await run.receive_now(top, result, args.receive_count, args.receive_type);
}

Schedule reduce_binomial(Runner& run, Arguments args) {
  if (args.receive_count > 0) co_await reduce_binomial_even_empty(run, args);
}

Schedule reduce_binomial_instead_of(const char* name, Runner& run, Arguments args) {
  note_fallback("reduce", name, "binomial", "the operation is not commutative");
  return reduce_binomial(run, args);
}

// A k-nomial tree with radix `args.parameter` (4 if it is 0). A rank receives from all its children at once.
Schedule reduce_knomial(Runner& run, Arguments args) {
  if (!args.reduction.commutative) {
    co_await reduce_binomial_instead_of("mvapich2_knomial", run, args);
    co_return;
  }
  if (args.receive_count == 0) co_return;
  const std::int64_t radix = args.parameter == 0 ? 4 : std::max(2, args.parameter);
  const int number = (run.rank - args.root + run.size) % run.size;
  std::int64_t span = 1;  // number of ranks in the rank's subtree, if it is complete
  while (span < run.size && number % (radix * span) == 0) span *= radix;
  const bool at_root = run.rank == args.root;
  const Scratch own(at_root ? 0 : args.receive_count, args.receive_type, args.send, Scratch::FilledBy::kCore);
  char* const result = at_root ? static_cast<char*>(args.receive) : own.data();
  local_copy(args.send, args.receive_count, args.receive_type, result, args.receive_count, args.receive_type);
  std::vector<int> children;
  for (std::int64_t distance = 1; distance < span; distance *= radix) {
    for (std::int64_t i = radix - 1; i > 0; --i) {
      const std::int64_t child = number + i * distance;
      if (child < run.size) children.push_back(static_cast<int>((child + args.root) % run.size));
    }
  }
  const auto child = [&children](int i) { return children[i]; };
  co_await take_contributions(run, args, static_cast<int>(children.size()), child, result);
  if (at_root) co_return;
  run.send(static_cast<int>((number / (radix * span) * (radix * span) + args.root) % run.size), result,
           args.receive_count, args.receive_type);
  co_await run.round();
}

}  // namespace pysmpi
