// Binomial gather.
#include "collectives/gather/gather.hpp"
#include "collectives/trees.hpp"

namespace pysmpi {

// Binomial tree, log2 P rounds: each rank sends the blocks of its subtree in one message. If the root is not rank 0, it
// rotates the blocks at the end. Example with 6 ranks and root 0: 3 sends to 2 and 5 to 4; then 1, 2 and 4 send 1, 2
// and 2 blocks to 0.
Schedule gather_binomial(Runner& run, Arguments args) {
  const InOrderTree tree(args.root, run.size, run.rank);
  const bool at_root = run.rank == args.root, leaf = tree.span() == 1;
  if (leaf && !at_root) {
    co_await run.send_now(tree.parent(), args.send, args.send_count, args.send_type);
    co_return;
  }
  const std::int64_t block = args.gather_bytes(run.rank);
  const bool in_place = at_root && args.root == 0;
  const Scratch blocks(in_place ? 0 : tree.span() * block, kByte, at_root ? args.receive : args.send,
                       Scratch::FilledBy::kCard, run.size * block);  // Open MPI allocates room for all blocks
  if (in_place) {
    local_copy(args.send, args.send_count, args.send_type, args.receive, args.receive_count, args.receive_type);
  } else {
    local_copy(args.send, args.send_count, args.send_type, blocks.data(), block, kByte);
  }
  for (int distance = 1; distance < tree.span(); distance *= 2) {
    const int child = tree.rank_of(tree.number + distance), width = tree.span_of_child(distance);
    if (in_place) {
      co_await run.receive_now(child, args.receive_at(distance * args.receive_count), width * args.receive_count,
                               args.receive_type);
    } else {
      co_await run.receive_now(child, blocks.data() + distance * block, width * block, kByte);
    }
  }
  if (!at_root) {
    co_await run.send_now(tree.parent(), blocks.data(), tree.span() * block, kByte);
  } else if (!in_place) {
    const int above = run.size - args.root;
    local_copy(blocks.data(), above * block, kByte, args.receive_at(args.root * args.receive_count),
               above * args.receive_count, args.receive_type);
    local_copy(blocks.data() + above * block, args.root * block, kByte, args.receive, args.root * args.receive_count,
               args.receive_type);
  }
}

}  // namespace pysmpi
