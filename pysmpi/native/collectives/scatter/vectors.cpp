// Scatters of blocks with different lengths.
#include <bit>

#include "collectives/scatter/scatter.hpp"
#include "collectives/trees.hpp"
#include "collectives/variants.hpp"

namespace pysmpi {

namespace {

const char* sent_block(const Arguments& args, int rank) { return args.send_at(args.send_displacements[rank]); }

// The root sends the blocks one after the other, in rank order.
Schedule scatter_in_rank_order(Runner& run, Arguments args, Empty empty) {
  if (run.rank != args.root) {
    if (empty == Empty::kMessage || args.receive_bytes() > 0) {
      co_await run.receive_now(args.root, args.receive, args.receive_count, args.receive_type);
    }
    co_return;
  }
  const std::int64_t size = find_datatype(args.send_type)->size;
  for (int other = 0; other < run.size; ++other) {
    if (other == run.rank) {
      local_copy(sent_block(args, other), args.send_counts[other], args.send_type, args.receive, args.receive_count,
                 args.receive_type);
    } else if (empty == Empty::kMessage || args.send_counts[other] * size > 0) {
      co_await run.send_now(other, sent_block(args, other), args.send_counts[other], args.send_type);
    }
  }
}

// The root sends all blocks at once.
Schedule scatter_at_once(Runner& run, Arguments args, Empty empty) {
  if (run.rank != args.root) {
    if (empty == Empty::kMessage || args.receive_count > 0) {
      run.receive(args.root, args.receive, args.receive_count, args.receive_type);
    }
  } else {
    for (int other = 0; other < run.size; ++other) {
      const char* block = sent_block(args, other);
      if (other == run.rank) {
        local_copy(block, args.send_counts[other], args.send_type, args.receive, args.receive_count, args.receive_type);
      } else if (empty == Empty::kMessage || args.send_counts[other] > 0) {
        run.send(other, block, args.send_counts[other], args.send_type);
      }
    }
  }
  co_await run.round();
}

}  // namespace

Schedule scatterv_linear(Runner& run, Arguments args) { return scatter_at_once(run, args, Empty::kMessage); }
Schedule scatterv_mpich_linear(Runner& run, Arguments args) { return scatter_at_once(run, args, Empty::kNone); }

// SMPI's version of Open MPI's linear scatterv, and Open MPI's own.
Schedule scatterv_in_order(Runner& run, Arguments args) { return scatter_in_rank_order(run, args, Empty::kMessage); }
Schedule scatterv_openmpi_linear(Runner& run, Arguments args) { return scatter_in_rank_order(run, args, Empty::kNone); }

// Binomial tree: each rank receives the blocks of its subtree in one message. A message with the blocks' lengths
// precedes it, because only the root knows all lengths. The largest subtrees come first.
Schedule scatterv_binomial(Runner& run, Arguments args) {
  const InOrderTree tree(args.root, run.size, run.rank);
  const bool at_root = run.rank == args.root;
  const int span = tree.span();
  if (span == 1 && !at_root) {
    co_await run.receive_now(tree.parent(), args.receive, args.receive_count, args.receive_type);
    co_return;
  }
  constexpr std::int64_t kLength = sizeof(std::int64_t);
  const Scratch lengths(span * kLength);  // bytes of each block of the subtree
  auto* const length = reinterpret_cast<std::int64_t*>(lengths.data());
  if (at_root) {
    const std::int64_t element = find_datatype(args.send_type)->size;
    for (int i = 0; i < span; ++i) length[i] = args.send_counts[tree.rank_of(i)] * element;
  } else {
    co_await run.receive_now(tree.parent(), length, span * kLength, kByte);
  }
  std::int64_t left = 0;
  for (int i = 0; i < span; ++i) left += length[i];

  const Scratch blocks(left, kByte, at_root ? args.send : args.receive);
  if (at_root) {
    char* place = blocks.data();
    for (int i = 0; i < span; ++i) {
      const int rank = tree.rank_of(i);
      local_copy(sent_block(args, rank), args.send_counts[rank], args.send_type, place, length[i], kByte);
      place += length[i];
    }
  } else {
    co_await run.receive_now(tree.parent(), blocks.data(), left, kByte);
  }
  local_copy(blocks.data(), length[0], kByte, args.receive, args.receive_count, args.receive_type);
  for (int distance = std::bit_floor(static_cast<unsigned>(span - 1)); distance > 0; distance /= 2) {
    const int child = tree.rank_of(tree.number + distance), width = tree.span_of_child(distance);
    std::int64_t bytes = 0;
    for (int i = 0; i < width; ++i) bytes += length[distance + i];
    left -= bytes;
    if (width > 1) co_await run.send_now(child, length + distance, width * kLength, kByte);
    co_await run.send_now(child, blocks.data() + left, bytes, kByte);
  }
}

}  // namespace pysmpi
