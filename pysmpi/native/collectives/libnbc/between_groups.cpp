// Schedules of libnbc between the two groups of an intercommunicator. Data pass directly between ranks of different
// groups, and only a reduce-scatter also has messages within a group.
#include <utility>

#include "collectives/alltoall/blocks.hpp"
#include "collectives/intercommunicator.hpp"
#include "collectives/libnbc/libnbc.hpp"

namespace pysmpi::libnbc {

namespace {

// Each rank sends to the other group's first rank and receives from it. The first ranks answer once all ranks of the
// other group have sent.
Schedule barrier_between(Runner& run, Arguments) {
  const bool is_first = run.rank == 0;
  for (int other = 1; is_first && other < run.remote_size; ++other) run.receive(run.remote(other), nullptr, 0, kByte);
  run.receive(run.remote(0), nullptr, 0, kByte);
  run.send(run.remote(0), nullptr, 0, kByte);
  co_await run.round();
  for (int other = 1; is_first && other < run.remote_size; ++other) run.send(run.remote(other), nullptr, 0, kByte);
  co_await run.round();
}

Schedule bcast_between(Runner& run, Arguments args) {
  if (args.receive_count == 0 && !args.persistent) co_return;
  for (int other = 0; args.at_root && other < run.remote_size; ++other) {
    run.send(run.remote(other), args.receive, args.receive_count, args.receive_type);
  }
  if (!args.at_root && args.root >= 0) {
    run.receive(run.remote(args.root), args.receive, args.receive_count, args.receive_type);
  }
  co_await run.round();
}

Schedule allgather_between(Runner& run, Arguments args) {
  for (int other = 0; other < run.remote_size; ++other) {
    run.receive(run.remote(other), args.receive_at(other * args.receive_count), args.receive_count, args.receive_type);
    run.send(run.remote(other), args.send, args.send_count, args.send_type);
  }
  co_await run.round();
}

// Empty blocks are not sent.
Schedule allgatherv_between(Runner& run, Arguments args) {
  for (int other = 0; other < run.remote_size; ++other) {
    if (args.receive_counts[other] == 0) continue;
    run.receive(run.remote(other), args.receive_at(args.receive_displacements[other]), args.receive_counts[other],
                args.receive_type);
  }
  for (int other = 0; args.send_count > 0 && other < run.remote_size; ++other) {
    run.send(run.remote(other), args.send, args.send_count, args.send_type);
  }
  co_await run.round();
}

// MPI_Ialltoallv and MPI_Ialltoallw leave out empty blocks.
Schedule alltoall_between(Runner& run, Arguments args) {
  const AlltoallBlocks blocks(run, args);
  const bool skips_empty = static_cast<bool>(args.receive_counts);
  for (int other = 0; other < run.remote_size; ++other) {
    if (!skips_empty || blocks.out_count(other) > 0) blocks.send(run.remote(other), other);
    if (!skips_empty || blocks.in_count(other) > 0) blocks.receive(run.remote(other), other);
  }
  co_await run.round();
}

// Receives the vectors of the other group's ranks, from the second one on, one after the other, and combines them with
// that of the first one. `sum` is the buffer with the result: `sum` or `other` at the beginning.
Schedule reduce_others(Runner& run, Arguments args, std::int64_t count, char*& sum, char* other) {
  for (int from = 1; from < run.remote_size; ++from) {
    run.receive(run.remote(from), other, count, args.receive_type);
    co_await run.round();
    co_await run.reduce(args.reduction, args.receive_type, sum, other, count);
    std::swap(sum, other);
  }
  co_await run.round();
}

Schedule reduce_between(Runner& run, Arguments args) {
  const std::int64_t count = args.receive_count;
  if (count == 0 || (!args.at_root && args.root < 0)) co_return;
  if (!args.at_root) {
    run.send(run.remote(args.root), args.send, count, args.receive_type);
    co_await run.round();
    co_return;
  }
  const Scratch scratch(run.remote_size > 1 ? count : 0, args.receive_type, args.receive);
  char *sum = static_cast<char*>(args.receive), *other = scratch.data();
  if (run.remote_size % 2 == 0) std::swap(sum, other);  // so that the result is in the receive buffer
  run.receive(run.remote(0), sum, count, args.receive_type);
  co_await reduce_others(run, args, count, sum, other);
}

// Each group's first rank reduces the vectors of the other group. The two first ranks exchange their results, and pass
// on what they receive: the sum over the own group, which the other group is to have.
Schedule allreduce_between(Runner& run, Arguments args) {
  const std::int64_t count = args.receive_count;
  if (count == 0) co_return;
  run.send(run.remote(0), args.send, count, args.receive_type);
  if (run.rank != 0) {
    run.receive(run.remote(0), args.receive, count, args.receive_type);
    co_await run.round();
    co_return;
  }
  const Scratch scratch(count, args.receive_type, args.receive);
  char *sum = static_cast<char*>(args.receive), *other = scratch.data();
  if (run.remote_size % 2 == 0) std::swap(sum, other);
  run.receive(run.remote(0), sum, count, args.receive_type);
  co_await run.round();
  co_await reduce_others(run, args, count, sum, other);
  run.receive(run.remote(0), scratch.data(), count, args.receive_type);
  run.send(run.remote(0), args.receive, count, args.receive_type);
  co_await run.round();
  for (int to = 1; to < run.remote_size; ++to) run.send(run.remote(to), scratch.data(), count, args.receive_type);
  co_await run.round();
}

// Each group's first rank reduces the vectors of the other group, and scatters the result in its own group. Without
// elements, only MPI_Reduce_scatter_block_init sends messages.
Schedule reduce_scatter_between(Runner& run, Arguments args) {
  const std::int64_t total = args.total_receive_count();
  if (total == 0 && (args.receive_counts || !args.persistent)) co_return;
  run.send(run.remote(0), args.send, total, args.receive_type);
  if (run.rank != 0) {
    run.receive(0, args.receive, args.receive_count_of(run.rank), args.receive_type);
    co_await run.round();
    co_return;
  }
  const Scratch first(total, args.receive_type, args.receive), second(total, args.receive_type, args.receive);
  char* sum = first.data();
  run.receive(run.remote(0), sum, total, args.receive_type);
  co_await run.round();
  co_await reduce_others(run, args, total, sum, second.data());
  const std::int64_t own = args.receive_count_of(0);
  local_copy(sum, own, args.receive_type, args.receive, own, args.receive_type);
  const char* block = sum + own * args.receive_extent();
  for (int other = 1; other < run.size; ++other) {
    run.send(other, block, args.receive_count_of(other), args.receive_type);
    block += args.receive_count_of(other) * args.receive_extent();
  }
  co_await run.round();
}

}  // namespace

Algorithm schedule_between_groups(Operation operation) {
  switch (operation) {
    case Operation::kBarrier:
      return barrier_between;
    case Operation::kBcast:
      return bcast_between;
    case Operation::kReduce:
      return reduce_between;
    case Operation::kAllreduce:
      return allreduce_between;
    case Operation::kReduceScatter:
      return reduce_scatter_between;
    case Operation::kAllgather:
      return allgather_between;
    case Operation::kAllgatherv:
      return allgatherv_between;
    case Operation::kAlltoall:
    case Operation::kAlltoallv:
    case Operation::kAlltoallw:
      return alltoall_between;
    default:  // gathers and scatters are those of blocking calls
      return intercommunicator_algorithm(operation);
  }
}

}  // namespace pysmpi::libnbc
