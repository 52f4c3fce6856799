// Binomial scatter.
#include "collectives/scatter/scatter.hpp"
#include "collectives/trees.hpp"

namespace pysmpi {

// Binomial tree, log2 P rounds: each rank receives the blocks of its subtree in one message. If the root is not rank 0,
// it first rotates the blocks. Example with 6 ranks and root 0: 0 sends block 1 to rank 1, blocks 2 and 3 to rank 2,
// and blocks 4 and 5 to rank 4.
Schedule scatter_binomial(Runner& run, Arguments a) {
  const InOrderTree tree(a.root, run.size, run.rank);
  const bool at_root = run.rank == a.root;
  if (tree.span() == 1 && !at_root) {
    co_await run.receive_now(tree.parent(), a.receive, a.receive_count, a.receive_type);
    co_return;
  }
  const std::int64_t block = at_root ? a.send_bytes() : a.receive_bytes();
  const bool in_place = at_root && a.root == 0;
  const Scratch blocks(in_place ? 0 : tree.span() * block, kByte, at_root ? a.send : a.receive);
  if (!at_root) {
    co_await run.receive_now(tree.parent(), blocks.data(), tree.span() * block, kByte);
    copy(blocks.data(), block, kByte, a.receive, a.receive_count, a.receive_type);
  } else {
    copy(a.send_at(a.root * a.send_count), a.send_count, a.send_type, a.receive, a.receive_count, a.receive_type);
    if (!in_place) {
      const int above = run.size - a.root;
      copy(a.send_at(a.root * a.send_count), above * a.send_count, a.send_type, blocks.data(), above * block, kByte);
      copy(a.send, a.root * a.send_count, a.send_type, blocks.data() + above * block, a.root * block, kByte);
    }
  }
  for (int distance = 1; distance < tree.span(); distance *= 2) {
    const int child = tree.rank_of(tree.number + distance), width = tree.span_of_child(distance);
    if (in_place) {
      co_await run.send_now(child, a.send_at(distance * a.send_count), width * a.send_count, a.send_type);
    } else {
      co_await run.send_now(child, blocks.data() + distance * block, width * block, kByte);
    }
  }
}

}  // namespace pysmpi
