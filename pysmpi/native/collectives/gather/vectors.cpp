// Gathers of blocks with different lengths.
#include <array>

#include "collectives/gather/gather.hpp"
#include "collectives/trees.hpp"
#include "collectives/variants.hpp"

namespace pysmpi {

namespace {

char* received_block(const Arguments& args, int rank) { return args.receive_at(args.receive_displacements[rank]); }

// The root receives the blocks one after the other, in rank order.
Schedule gather_in_rank_order(Runner& run, Arguments args, Empty empty) {
  if (run.rank != args.root) {
    if (empty == Empty::kMessage || args.send_bytes() > 0) {
      co_await run.send_now(args.root, args.send, args.send_count, args.send_type);
    }
    co_return;
  }
  const std::int64_t size = find_datatype(args.receive_type)->size;
  for (int other = 0; other < run.size; ++other) {
    if (other == run.rank) {
      local_copy(args.send, args.send_count, args.send_type, received_block(args, other), args.receive_counts[other],
                 args.receive_type);
    } else if (empty == Empty::kMessage || args.receive_counts[other] * size > 0) {
      co_await run.receive_now(other, received_block(args, other), args.receive_counts[other], args.receive_type);
    }
  }
}

// The root receives all blocks at once.
Schedule gather_at_once(Runner& run, Arguments args, Empty empty) {
  if (run.rank != args.root) {
    if (empty == Empty::kMessage || args.send_count > 0) {
      run.send(args.root, args.send, args.send_count, args.send_type);
    }
  } else {
    for (int other = 0; other < run.size; ++other) {
      char* block = received_block(args, other);
      if (other == run.rank) {
        local_copy(args.send, args.send_count, args.send_type, block, args.receive_counts[other], args.receive_type);
      } else if (empty == Empty::kMessage || args.receive_counts[other] > 0) {
        run.receive(other, block, args.receive_counts[other], args.receive_type);
      }
    }
  }
  co_await run.round();
}

}  // namespace

Schedule gatherv_linear(Runner& run, Arguments args) { return gather_at_once(run, args, Empty::kMessage); }
Schedule gatherv_mpich_linear(Runner& run, Arguments args) { return gather_at_once(run, args, Empty::kNone); }

// SMPI's version of Open MPI's linear gatherv, and Open MPI's own.
Schedule gatherv_in_order(Runner& run, Arguments args) { return gather_in_rank_order(run, args, Empty::kMessage); }
Schedule gatherv_openmpi_linear(Runner& run, Arguments args) { return gather_in_rank_order(run, args, Empty::kNone); }

// Binomial tree: each rank sends the blocks of its subtree in one message. A message with their total length comes
// first, except to the root, which knows all lengths.
Schedule gatherv_binomial(Runner& run, Arguments args) {
  const InOrderTree tree(args.root, run.size, run.rank);
  const bool at_root = run.rank == args.root;
  std::array<std::int64_t, 32> lengths{};  // bytes of each child's subtree
  std::int64_t total = args.send_bytes();
  int children = 0;
  for (int distance = 1; distance < tree.span(); distance *= 2) {
    std::int64_t& length = lengths[children++];
    if (at_root) {
      for (int i = 0; i < tree.span_of_child(distance); ++i) length += args.receive_counts[tree.rank_of(distance + i)];
      length *= find_datatype(args.receive_type)->size;
    } else {
      co_await run.receive_now(tree.rank_of(tree.number + distance), &length, sizeof length, kByte);
    }
    total += length;
  }
  if (!at_root && tree.parent() != args.root) co_await run.send_now(tree.parent(), &total, sizeof total, kByte);

  const Scratch blocks(total, kByte, at_root ? args.receive : args.send);
  const std::int64_t own = args.send_bytes();
  local_copy(args.send, args.send_count, args.send_type, blocks.data(), own, kByte);
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
  const std::int64_t element = find_datatype(args.receive_type)->size;
  place = blocks.data();
  for (int i = 0; i < run.size; ++i) {
    const int rank = tree.rank_of(i);
    const std::int64_t bytes = args.receive_counts[rank] * element;
    local_copy(place, bytes, kByte, received_block(args, rank), args.receive_counts[rank], args.receive_type);
    place += bytes;
  }
}

}  // namespace pysmpi
