// Alltoall algorithms with many messages in progress at once.
#include <algorithm>

#include "collectives/alltoall/alltoall.hpp"
#include "collectives/alltoall/blocks.hpp"
#include "collectives/variants.hpp"

namespace pysmpi {

Schedule alltoall_linear(Runner& run, Arguments args) {
  const AlltoallBlocks blocks(run, args);
  const int rank = run.rank, size = run.size;
  blocks.copy_own();
  for (int i = 1; i < size; ++i) blocks.receive((rank + i) % size);
  for (int i = 1; i < size; ++i) blocks.send((rank - i + size) % size);
  co_await run.round();
}

namespace {

// Posts all receives, then all sends, in the order of ranks.
Schedule exchange_in_rank_order(Runner& run, Arguments args, Empty empty) {
  const AlltoallBlocks blocks(run, args);
  blocks.copy_own();
  for (int other = 0; other < run.size; ++other) {
    if (other != run.rank && (empty == Empty::kMessage || blocks.in_bytes(other) > 0)) blocks.receive(other);
  }
  for (int other = 0; other < run.size; ++other) {
    if (other != run.rank && (empty == Empty::kMessage || blocks.out_bytes(other) > 0)) blocks.send(other);
  }
  co_await run.round();
}

}  // namespace

Schedule alltoallv_linear(Runner& run, Arguments args) { return exchange_in_rank_order(run, args, Empty::kMessage); }

Schedule alltoallv_openmpi_linear(Runner& run, Arguments args) {
  return exchange_in_rank_order(run, args, Empty::kNone);
}

namespace {

// Limits the number of messages in progress: posts the receives and sends for the next `batch` distances and waits for
// them (Tony Ladd's method in MPICH's alltoall_intra_scattered).
Schedule exchange_in_batches(Runner& run, Arguments args, int batch, OwnBlock own, Empty empty) {
  const AlltoallBlocks blocks(run, args);
  const int rank = run.rank, size = run.size;
  if (own == OwnBlock::kCopy) blocks.copy_own();
  for (int begin = 0; begin < size; begin += batch) {
    const int end = std::min(begin + batch, size);
    const int first = begin == 0 && own == OwnBlock::kCopy ? 1 : begin;
    for (int i = first; i < end; ++i) {
      const int from = (rank + i) % size;
      if (empty == Empty::kMessage || blocks.in_count(from) > 0) blocks.receive(from);
    }
    for (int i = first; i < end; ++i) {
      const int to = (rank - i + size) % size;
      if (empty == Empty::kMessage || blocks.out_count(to) > 0) blocks.send(to);
    }
    co_await run.round();
  }
}

constexpr int kMvapich2Batch = 4;  // SMPI's value, as configured on Stampede
constexpr int kMpichBatch = 32;    // MPIR_CVAR_ALLTOALL_THROTTLE

}  // namespace

Schedule alltoall_scatter_dest(Runner& run, Arguments args) {
  if (args.receive_count == 0) co_return;
  co_await exchange_in_batches(run, args, kMvapich2Batch, OwnBlock::kMessage, Empty::kMessage);
}

Schedule alltoallv_batches(Runner& run, Arguments args) {
  return exchange_in_batches(run, args, kMvapich2Batch, OwnBlock::kCopy, Empty::kMessage);
}

Schedule alltoall_mpich_scattered(Runner& run, Arguments args) {
  return exchange_in_batches(run, args, kMpichBatch, OwnBlock::kMessage,
                             args.send_counts ? Empty::kNone : Empty::kMessage);
}

// ring-k of Y. Zheng and P. Marguinaud, "Simulation of the performance and scalability of message passing interface
// (MPI) communications of atmospheric models running on exascale supercomputers", Geosci. Model Dev. 11, 2018, table 2:
// in stage s, a rank sends to the ranks at the distances sk + 1 to (s + 1) k, and receives from those at these
// distances before it. (P - 1) / k stages.
Schedule alltoall_ring_k(Runner& run, Arguments args) {
  const AlltoallBlocks blocks(run, args);
  const int rank = run.rank, size = run.size, k = std::max(args.parameter, 1);
  blocks.copy_own();
  for (int nearest = 1; nearest < size; nearest += std::min(k, size)) {
    const int end = size - nearest <= k ? size - 1 : nearest + k - 1;
    for (int distance = nearest; distance <= end; ++distance) blocks.receive((rank - distance + size) % size);
    for (int distance = nearest; distance <= end; ++distance) blocks.send((rank + distance) % size);
    co_await run.round();
  }
}

// Ring with k ranks on either side in each stage. (P - 1) / 2k stages.
Schedule alltoall_two_sided_ring_k(Runner& run, Arguments args) {
  const AlltoallBlocks blocks(run, args);
  const int rank = run.rank, size = run.size, k = std::max(args.parameter, 1), farthest = size / 2;
  blocks.copy_own();
  for (int nearest = 1; nearest <= farthest; nearest += k) {
    const int end = std::min(nearest + k - 1, farthest);
    const auto opposite = [size](int distance) { return 2 * distance == size; };  // both sides are the same rank
    for (int i = nearest; i <= end; ++i) {
      blocks.receive((rank - i + size) % size);
      if (!opposite(i)) blocks.receive((rank + i) % size);
    }
    for (int i = nearest; i <= end; ++i) {
      blocks.send((rank + i) % size);
      if (!opposite(i)) blocks.send((rank - i + size) % size);
    }
    co_await run.round();
  }
}

}  // namespace pysmpi
