// Binomial scatter.
#include <bit>

#include "base/library_behaviour.hpp"
#include "collectives/scatter/scatter.hpp"
#include "collectives/trees.hpp"

namespace pysmpi {

namespace {

enum class First : std::uint8_t { kNearest, kFarthest };  // the child to which a rank sends first

// Binomial tree, log2 P rounds: each rank receives the blocks of its subtree in one message. If the root is not rank 0,
// it first rotates the blocks. Example with 6 ranks and root 0: 0 sends block 1 to rank 1, blocks 2 and 3 to rank 2,
// and blocks 4 and 5 to rank 4.
Schedule scatter_down(Runner& run, Arguments args, First first) {
  const InOrderTree tree(args.root, run.size, run.rank);
  const bool at_root = run.rank == args.root;
  if (tree.span() == 1 && !at_root) {
    co_await run.receive_now(tree.parent(), args.receive, args.receive_count, args.receive_type);
    co_return;
  }
  const std::int64_t block = args.scatter_bytes(run.rank);
  const bool in_place = at_root && args.root == 0;
  const Scratch blocks(in_place ? 0 : tree.span() * block, kByte, at_root ? args.send : args.receive,
                       at_root ? Scratch::FilledBy::kCore : Scratch::FilledBy::kCard);
  if (!at_root) {
    co_await run.receive_now(tree.parent(), blocks.data(), tree.span() * block, kByte);
    local_copy(blocks.data(), block, kByte, args.receive, args.receive_count, args.receive_type);
  } else {
    local_copy(args.send_at(args.root * args.send_count), args.send_count, args.send_type, args.receive,
               args.receive_count, args.receive_type);
    if (!in_place) {
      const int above = run.size - args.root;
      local_copy(args.send_at(args.root * args.send_count), above * args.send_count, args.send_type, blocks.data(),
                 above * block, kByte);
      local_copy(args.send, args.root * args.send_count, args.send_type, blocks.data() + above * block,
                 args.root * block, kByte);
    }
  }
  const int children = std::bit_width(static_cast<unsigned>(tree.span() - 1));
  for (int i = 0; i < children; ++i) {
    const int distance = 1 << (first == First::kNearest ? i : children - 1 - i);
    const int child = tree.rank_of(tree.number + distance), width = tree.span_of_child(distance);
    if (in_place) {
      co_await run.send_now(child, args.send_at(distance * args.send_count), width * args.send_count, args.send_type);
    } else {
      co_await run.send_now(child, blocks.data() + distance * block, width * block, kByte);
    }
  }
}

}  // namespace

Schedule scatter_binomial(Runner& run, Arguments args) {
  return scatter_down(run, args, library_behaviour().scatters_nearest_first ? First::kNearest : First::kFarthest);
}
Schedule scatter_mpich_binomial(Runner& run, Arguments args) { return scatter_down(run, args, First::kFarthest); }

}  // namespace pysmpi
