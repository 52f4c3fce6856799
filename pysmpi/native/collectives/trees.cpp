// Positions in a LevelTree, and the completion of recursive doubling for incomplete subtrees.
#include "collectives/trees.hpp"

namespace pysmpi {

LevelTree::LevelTree(int root, int size, int rank) : number((rank - root + size) % size) {
  const auto rank_of = [&](std::int64_t other) { return static_cast<int>((other + root) % size); };
  std::int64_t width = 1;
  while (number >= 2 * width - 1) width *= 2;
  if (number > 0) {
    const std::int64_t nearer = number - width / 2;
    parent = rank_of(nearer < width - 1 ? nearer : number - width);
  }
  if (number + width < size) children[0] = rank_of(number + width);
  if (number + 2 * width < size) children[1] = rank_of(number + 2 * width);
}

Schedule spread_in_subtree(Runner& run, int distance, int complete, void* data, std::int64_t count, std::int32_t type,
                           int root) {
  const int number = (run.rank - root + run.size) % run.size;
  for (int step = distance / 2; step > 0; step /= 2) {
    const int peer = number ^ step, first_without = (number & ~(2 * step - 1)) + complete;
    if (peer > number && number < first_without && peer >= first_without) {
      co_await run.send_now((peer + root) % run.size, data, count, type);
    } else if (peer < number && peer < first_without && number >= first_without) {
      co_await run.receive_now((peer + root) % run.size, data, count, type);
    }
  }
}

}  // namespace pysmpi
