// Binomial gather.
#include "collectives/gather/gather.hpp"
#include "collectives/trees.hpp"

namespace pysmpi {

// Binomial tree, log2 P rounds: each rank sends the blocks of its subtree in one message. If the root is not rank 0, it
// rotates the blocks at the end. Example with 6 ranks and root 0: 3 sends to 2 and 5 to 4; then 1, 2 and 4 send 1, 2
// and 2 blocks to 0.
Schedule gather_binomial(Runner& run, Arguments a) {
  const InOrderTree tree(a.root, run.size, run.rank);
  const bool at_root = run.rank == a.root, leaf = tree.span() == 1;
  if (leaf && !at_root) {
    co_await run.send_now(tree.parent(), a.send, a.send_count, a.send_type);
    co_return;
  }
  const std::int64_t block = at_root ? a.receive_bytes() : a.send_bytes();
  const bool in_place = at_root && a.root == 0;
  const Scratch blocks(in_place ? 0 : tree.span() * block, kByte, at_root ? a.receive : a.send);
  if (in_place) {
    copy(a.send, a.send_count, a.send_type, a.receive, a.receive_count, a.receive_type);
  } else {
    copy(a.send, a.send_count, a.send_type, blocks.data(), block, kByte);
  }
  for (int distance = 1; distance < tree.span(); distance *= 2) {
    const int child = tree.rank_of(tree.number + distance), width = tree.span_of_child(distance);
    if (in_place) {
      co_await run.receive_now(child, a.receive_at(distance * a.receive_count), width * a.receive_count,
                               a.receive_type);
    } else {
      co_await run.receive_now(child, blocks.data() + distance * block, width * block, kByte);
    }
  }
  if (!at_root) {
    co_await run.send_now(tree.parent(), blocks.data(), tree.span() * block, kByte);
  } else if (!in_place) {
    const int above = run.size - a.root;
    copy(blocks.data(), above * block, kByte, a.receive_at(a.root * a.receive_count), above * a.receive_count,
         a.receive_type);
    copy(blocks.data() + above * block, a.root * block, kByte, a.receive, a.root * a.receive_count, a.receive_type);
  }
}

}  // namespace pysmpi
