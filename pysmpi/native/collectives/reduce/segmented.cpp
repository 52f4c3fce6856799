// Pipelined reductions up a tree, in segments (Open MPI, coll_base_reduce.c).
#include <algorithm>

#include "collectives/reduce/reduce.hpp"
#include "collectives/sizes.hpp"
#include "collectives/trees.hpp"
#include "collectives/variants.hpp"

namespace pysmpi {

namespace {

struct Tree {
  int parent = -1, children = 0;
  int child[32] = {};
};

// Returns the calling rank's place in a tree of `fanout` chains below the root. The chains have nearly equal lengths,
// the longer ones first.
Tree chains(const Runner& run, int root, int fanout) {
  Tree tree;
  const int number = (run.rank - root + run.size) % run.size, others = run.size - 1;
  const auto rank_of = [&run, root](int other) { return (other + root) % run.size; };
  fanout = std::min({std::max(fanout, 1), others, static_cast<int>(std::size(tree.child))});
  for (int i = 0, head = 1; i < fanout; ++i) {
    const int length = others / fanout + (i < others % fanout);
    if (number == 0) {
      tree.child[tree.children++] = rank_of(head);
    } else if (number >= head && number < head + length) {
      tree.parent = rank_of(number == head ? 0 : number - 1);
      if (number + 1 < head + length) tree.child[tree.children++] = rank_of(number + 1);
    }
    head += length;
  }
  return tree;
}

Tree binary_tree(const Runner& run, int root) {
  const LevelTree levels(root, run.size, run.rank);
  Tree tree;
  tree.parent = levels.parent;
  for (const int child : levels.children) {
    if (child != LevelTree::kNobody) tree.child[tree.children++] = child;
  }
  return tree;
}

Tree binomial_tree(const Runner& run, int root) {
  Tree tree;
  const int number = (run.rank - root + run.size) % run.size;
  for (std::int64_t distance = 1; distance < run.size; distance *= 2) {
    if (number & distance) {
      tree.parent = static_cast<int>((number - distance + root) % run.size);
      break;
    }
    const std::int64_t child = number + distance;
    if (child < run.size) tree.child[tree.children++] = static_cast<int>((child + root) % run.size);
  }
  return tree;
}

// A binary tree that keeps the order of operands: each rank comes after the ranks of its subtrees, the second child's
// subtree first. The tree's root is the last rank. Example with 6 ranks: 5 has children 4 and 2; 4 has child 3; 2 has
// children 1 and 0.
Tree in_order_tree(const Runner& run) {
  Tree tree;
  int first = 0, size = run.size;  // first rank and number of ranks of the subtree with this rank
  while (run.rank != first + size - 1) {
    tree.parent = first + size - 1;
    const int lower = size / 2;
    if (run.rank < first + lower) {
      size = lower;
    } else {
      first += lower;
      size -= lower + 1;
    }
  }
  if (size > 1) tree.child[tree.children++] = run.rank - 1;
  if (size > 2) tree.child[tree.children++] = first + size / 2 - 1;
  return tree;
}

// Returns the elements of a segment of `segment_bytes` bytes, rounded to the nearest integer, or all elements if the
// buffer is not cut.
std::int64_t elements_of(std::int64_t segment_bytes, const Arguments& args) {
  const std::int64_t item = find_datatype(args.receive_type)->size;
  if (segment_bytes < item || segment_bytes >= args.receive_bytes()) return args.receive_count;
  return segment_bytes / item + (segment_bytes % item > item / 2);
}

// Reduces up the tree. While one message is reduced, the next one is received. The tree's root stores the result at
// `result`. `left` says whether the first child's elements or the rank's own elements are the left operand; elements of
// further children always are. Even with Left::kOwn, the first child's elements are on the left if the operation does
// not commute, or if the root's own elements are already at `result` (MPI_IN_PLACE), as in Open MPI.
Schedule reduce_up(Runner& run, Arguments args, Tree tree, std::int64_t segment_bytes, void* result, Left left) {
  if (args.receive_count == 0) co_return;
  const std::int64_t segment = elements_of(segment_bytes, args),
                     segments = (args.receive_count + segment - 1) / segment;
  const std::int64_t extent = args.receive_extent();
  const auto length = [&args, segment](std::int64_t s) { return std::min(segment, args.receive_count - s * segment); };
  if (tree.children == 0 && tree.parent >= 0) {
    const auto* const own = static_cast<const char*>(args.send);
    for (std::int64_t s = 0; s < segments; ++s) {
      co_await run.send_now(tree.parent, own + s * segment * extent, length(s), args.receive_type);
    }
    co_return;
  }
  const bool on_top = tree.parent < 0;
  const Scratch own(on_top ? 0 : args.receive_count, args.receive_type, args.send);
  char* const total = on_top ? static_cast<char*>(result) : own.data();
  const bool own_first =
      left == Left::kOwn && args.reduction.commutative && tree.children > 0 && !(on_top && args.in_place);
  if (!own_first)
    local_copy(args.send, args.receive_count, args.receive_type, total, args.receive_count, args.receive_type);
  const std::int64_t steps = segments * tree.children;
  const Scratch in[2] = {{steps > 0 ? segment : 0, args.receive_type, args.send},
                         {steps > 1 ? segment : 0, args.receive_type, args.send}};
  RequestId arriving = kNone;
  for (std::int64_t step = 0; step <= steps; ++step) {
    const RequestId previous = arriving;
    if (step < steps) {
      const std::int64_t s = step / tree.children;
      char* const into = own_first && step % tree.children == 0 ? total + s * segment * extent : in[step % 2].data();
      arriving = run.start_receive(tree.child[step % tree.children], into, length(s), args.receive_type);
    }
    if (step == 0) continue;
    co_await run.finish(previous);
    const std::int64_t s = (step - 1) / tree.children;
    char* const reduced = total + s * segment * extent;
    const char* const operand = own_first && (step - 1) % tree.children == 0
                                    ? static_cast<const char*>(args.send) + s * segment * extent
                                    : in[(step - 1) % 2].data();
    co_await run.reduce(args.reduction, args.receive_type, operand, reduced, length(s));
    if (step % tree.children == 0 && !on_top) {
      co_await run.send_now(tree.parent, reduced, length(s), args.receive_type);
    }
  }
}

// Reduces up a tree that does not keep the order of operands.
Schedule reduce_in_any_order(Runner& run, Arguments args, const char* name, Tree tree, std::int64_t segment_bytes,
                             Left left = Left::kReceived) {
  if (args.reduction.commutative) return reduce_up(run, args, tree, segment_bytes, args.receive, left);
  note_fallback("reduce", name, "ompi_in_order_binary", "the operation is not commutative");
  return reduce_in_order_binary(run, args);
}

constexpr std::int64_t kWhole = 0;

}  // namespace

Schedule reduce_chains(Runner& run, Arguments args) {
  return reduce_in_any_order(run, args, "ompi_chain", chains(run, args.root, run.size / 2), 64 * kKiB);
}

Schedule reduce_pipeline(Runner& run, Arguments args) {
  const auto bytes = static_cast<double>(args.receive_bytes());
  const std::int64_t segment = run.size > 0.0410 / 1024 * bytes + 9.7128   ? kKiB
                               : run.size > 0.0033 / 1024 * bytes + 1.6761 ? 32 * kKiB
                                                                           : 64 * kKiB;
  return reduce_in_any_order(run, args, "ompi_pipeline", chains(run, args.root, 1), segment);
}

Schedule reduce_binary(Runner& run, Arguments args) {
  return reduce_in_any_order(run, args, "ompi_binary", binary_tree(run, args.root), 32 * kKiB);
}

Schedule reduce_segmented_binomial(Runner& run, Arguments args) {
  const std::int64_t bytes = args.receive_bytes();
  const bool small = bytes < 2048 || (run.size < 8 && bytes < 20480) || args.receive_count <= 1;
  const bool cut = !small && run.size > 0.6016 / 1024 * static_cast<double>(bytes) + 1.3496;
  return reduce_in_any_order(run, args, "ompi_binomial", binomial_tree(run, args.root), cut ? kKiB : kWhole);
}

// The functions named reduce_openmpi_... reduce as Open MPI does: with its order of operands, a single chain, and in
// segments of `args.parameter` bytes, or without segments if that is 0.
Schedule reduce_openmpi_chain(Runner& run, Arguments args) {
  return reduce_in_any_order(run, args, "openmpi_chain", chains(run, args.root, 1), args.parameter, Left::kOwn);
}

Schedule reduce_openmpi_binary(Runner& run, Arguments args) {
  return reduce_in_any_order(run, args, "openmpi_binary", binary_tree(run, args.root), args.parameter, Left::kOwn);
}

Schedule reduce_openmpi_binomial(Runner& run, Arguments args) {
  return reduce_in_any_order(run, args, "openmpi_binomial", binomial_tree(run, args.root), args.parameter, Left::kOwn);
}

namespace {

// Reduces up a binary tree that keeps the order of operands. The tree's root is the last rank, which then sends the
// result to the root of the call.
Schedule reduce_up_in_order(Runner& run, Arguments args, Left left) {
  const int top = run.size - 1;
  const Scratch passing(run.rank == top && top != args.root ? args.receive_count : 0, args.receive_type, args.send);
  void* const result = top == args.root ? args.receive : passing.data();
  co_await reduce_up(run, args, in_order_tree(run), kWhole, result, left);
  if (top == args.root || args.receive_count == 0) co_return;
  if (run.rank == top) co_await run.send_now(args.root, result, args.receive_count, args.receive_type);
  if (run.rank == args.root) co_await run.receive_now(top, args.receive, args.receive_count, args.receive_type);
}

}  // namespace

Schedule reduce_in_order_binary(Runner& run, Arguments args) { return reduce_up_in_order(run, args, Left::kReceived); }
Schedule reduce_openmpi_in_order_binary(Runner& run, Arguments args) {
  return reduce_up_in_order(run, args, Left::kOwn);
}

}  // namespace pysmpi
