// Gathers of blocks with different lengths.
#include <array>

#include "collectives/gather/gather.hpp"
#include "collectives/trees.hpp"

namespace pysmpi {

namespace {

char* block_of(const Arguments& a, int rank) { return a.receive_at(a.receive_displacements[rank]); }

}  // namespace

Schedule gatherv_linear(Runner& run, Arguments a) {
  if (run.rank != a.root) {
    run.send(a.root, a.send, a.send_count, a.send_type);
  } else {
    for (int other = 0; other < run.size; ++other) {
      char* block = block_of(a, other);
      if (other == run.rank) {
        copy(a.send, a.send_count, a.send_type, block, a.receive_counts[other], a.receive_type);
      } else {
        run.receive(other, block, a.receive_counts[other], a.receive_type);
      }
    }
  }
  co_await run.round();
}

// Open MPI's linear gatherv: the root receives the blocks one after the other, in rank order.
Schedule gatherv_in_order(Runner& run, Arguments a) {
  if (run.rank != a.root) {
    co_await run.send_now(a.root, a.send, a.send_count, a.send_type);
    co_return;
  }
  for (int other = 0; other < run.size; ++other) {
    if (other == run.rank) {
      copy(a.send, a.send_count, a.send_type, block_of(a, other), a.receive_counts[other], a.receive_type);
    } else {
      co_await run.receive_now(other, block_of(a, other), a.receive_counts[other], a.receive_type);
    }
  }
}

// Binomial tree: each rank sends the blocks of its subtree in one message. Their total length is sent before, because
// only the root knows all lengths.
Schedule gatherv_binomial(Runner& run, Arguments a) {
  const InOrderTree tree(a.root, run.size, run.rank);
  const bool at_root = run.rank == a.root;
  std::array<std::int64_t, 32> lengths{};  // bytes of each child's subtree
  std::int64_t total = a.send_bytes();
  int children = 0;
  for (int distance = 1; distance < tree.span(); distance *= 2) {
    std::int64_t& length = lengths[children++];
    if (at_root) {
      for (int i = 0; i < tree.span_of_child(distance); ++i) length += a.receive_counts[tree.rank_of(distance + i)];
      length *= find_datatype(a.receive_type)->size;
    } else {
      co_await run.receive_now(tree.rank_of(tree.number + distance), &length, sizeof length, kByte);
    }
    total += length;
  }
  if (!at_root && tree.parent() != a.root) co_await run.send_now(tree.parent(), &total, sizeof total, kByte);

  const Scratch blocks(total, kByte, at_root ? a.receive : a.send);
  const std::int64_t own = a.send_bytes();
  copy(a.send, a.send_count, a.send_type, blocks.data(), own, kByte);
  char* place = blocks.data() + own;
  for (int child = 0; child < children; ++child) {
    run.receive(tree.rank_of(tree.number + (1 << child)), place, lengths[child], kByte);
    place += lengths[child];
  }
  co_await run.round();
  if (!at_root) {
    co_await run.send_now(tree.parent(), blocks.data(), total, kByte);
    co_return;
  }
  const std::int64_t element = find_datatype(a.receive_type)->size;
  place = blocks.data();
  for (int i = 0; i < run.size; ++i) {
    const int rank = tree.rank_of(i);
    const std::int64_t bytes = a.receive_counts[rank] * element;
    copy(place, bytes, kByte, block_of(a, rank), a.receive_counts[rank], a.receive_type);
    place += bytes;
  }
}

}  // namespace pysmpi
