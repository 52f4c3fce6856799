// Collectives between the two groups of an intercommunicator (MPI 4.1, section 6.2.2): each group receives what the
// other group contributes.
//
// Barrier, broadcast, allgather and the reductions go through the first ranks of the groups. A group gathers or reduces
// to its first rank, which communicates with the first rank (or the root) of the other group. The result is then
// distributed within the group. All other operations send one message for each pair of ranks with data, all at once.
#include "collectives/intercommunicator.hpp"

#include "collectives/alltoall/blocks.hpp"
#include "collectives/catalogue.hpp"

namespace pysmpi {

namespace {

// Executes the operation within the calling rank's group, with the chosen algorithm and the group's first rank as root.
Schedule within_group(Operation operation, Runner& run, Arguments args) {
  args.root = 0;
  args.at_root = run.rank == 0;
  args.send_blocks = args.receive_blocks = run.size;
  return collective(operation, run, args);
}

Arguments broadcast_of(void* buffer, std::int64_t count, std::int32_t type) {
  Arguments args;
  args.receive = buffer;
  args.receive_count = count;
  args.receive_type = type;
  return args;
}

// Reduces the group's contributions into `result` at its first rank.
Schedule reduce_in_group(Runner& run, Arguments args, std::int64_t count, void* result) {
  args.receive = result;
  args.receive_count = count;
  return within_group(Operation::kReduce, run, args);
}

Schedule barrier_between(Runner& run, Arguments) {
  const Arguments nothing = broadcast_of(nullptr, 0, kByte);
  for (int other = 1; run.rank == 0 && other < run.size; ++other) run.receive(other, nullptr, 0, kByte);
  if (run.rank != 0) run.send(0, nullptr, 0, kByte);
  co_await run.round();
  if (run.rank == 0) co_await run.exchange(run.remote(0), nullptr, 0, kByte, run.remote(0), nullptr, 0, kByte);
  co_await within_group(Operation::kBcast, run, nothing);
}

Schedule bcast_between(Runner& run, Arguments args) {
  if (args.at_root) {
    co_await run.send_now(run.remote(0), args.receive, args.receive_count, args.receive_type);
  } else if (args.root >= 0) {
    if (run.rank == 0)
      co_await run.receive_now(run.remote(args.root), args.receive, args.receive_count, args.receive_type);
    co_await within_group(Operation::kBcast, run, args);
  }
}

Schedule reduce_between(Runner& run, Arguments args) {
  if (args.at_root) {
    co_await run.receive_now(run.remote(0), args.receive, args.receive_count, args.receive_type);
  } else if (args.root >= 0) {
    const Scratch result(run.rank == 0 ? args.receive_count : 0, args.receive_type, args.send);
    co_await reduce_in_group(run, args, args.receive_count, result.data());
    if (run.rank == 0)
      co_await run.send_now(run.remote(args.root), result.data(), args.receive_count, args.receive_type);
  }
}

Schedule allreduce_between(Runner& run, Arguments args) {
  const Scratch result(run.rank == 0 ? args.receive_count : 0, args.receive_type, args.send);
  co_await reduce_in_group(run, args, args.receive_count, result.data());
  if (run.rank == 0) {
    co_await run.exchange(run.remote(0), result.data(), args.receive_count, args.receive_type, run.remote(0),
                          args.receive, args.receive_count, args.receive_type);
  }
  co_await within_group(Operation::kBcast, run, broadcast_of(args.receive, args.receive_count, args.receive_type));
}

Schedule reduce_scatter_between(Runner& run, Arguments args) {
  const std::int64_t total = args.total_receive_count();
  const bool first = run.rank == 0;
  const Scratch own(first ? total : 0, args.receive_type, args.send),
      others(first ? total : 0, args.receive_type, args.send);
  co_await reduce_in_group(run, args, total, own.data());
  if (first) {
    co_await run.exchange(run.remote(0), own.data(), total, args.receive_type, run.remote(0), others.data(), total,
                          args.receive_type);
  }
  if (first) {
    const char* block = others.data() + args.receive_count_of(0) * args.receive_extent();
    local_copy(others.data(), args.receive_count_of(0), args.receive_type, args.receive, args.receive_count_of(0),
               args.receive_type);
    for (int other = 1; other < run.size; ++other) {
      run.send(other, block, args.receive_count_of(other), args.receive_type);
      block += args.receive_count_of(other) * args.receive_extent();
    }
  } else {
    run.receive(0, args.receive, args.receive_count_of(run.rank), args.receive_type);
  }
  co_await run.round();
}

Schedule gather_between(Runner& run, Arguments args) {
  if (args.at_root) {
    for (int other = 0; other < run.remote_size; ++other) {
      const std::int64_t begin = args.receive_counts ? args.receive_displacements[other] : other * args.receive_count;
      run.receive(run.remote(other), args.receive_at(begin), args.receive_count_of(other), args.receive_type);
    }
  } else if (args.root >= 0) {
    run.send(run.remote(args.root), args.send, args.send_count, args.send_type);
  }
  co_await run.round();
}

Schedule scatter_between(Runner& run, Arguments args) {
  if (args.at_root) {
    for (int other = 0; other < run.remote_size; ++other) {
      const std::int64_t begin = args.send_counts ? args.send_displacements[other] : other * args.send_count;
      run.send(run.remote(other), args.send_at(begin), args.send_counts ? args.send_counts[other] : args.send_count,
               args.send_type);
    }
  } else if (args.root >= 0) {
    run.receive(run.remote(args.root), args.receive, args.receive_count, args.receive_type);
  }
  co_await run.round();
}

Schedule allgather_between(Runner& run, Arguments args) {
  const std::int64_t block = args.send_bytes(), received = run.remote_size * args.receive_count;
  const Scratch own(run.rank == 0 ? run.size * block : 0, kByte, args.send);
  Arguments gather = args;
  gather.receive = own.data();
  gather.receive_count = block;
  gather.receive_type = kByte;
  co_await within_group(Operation::kGather, run, gather);
  if (run.rank == 0) {
    co_await run.exchange(run.remote(0), own.data(), run.size * block, kByte, run.remote(0), args.receive, received,
                          args.receive_type);
  }
  co_await within_group(Operation::kBcast, run, broadcast_of(args.receive, received, args.receive_type));
}

Schedule allgatherv_between(Runner& run, Arguments args) {
  for (int other = 0; other < run.remote_size; ++other) {
    run.receive(run.remote(other), args.receive_at(args.receive_displacements[other]), args.receive_counts[other],
                args.receive_type);
  }
  for (int other = 0; other < run.remote_size; ++other) {
    run.send(run.remote(other), args.send, args.send_count, args.send_type);
  }
  co_await run.round();
}

Schedule alltoall_between(Runner& run, Arguments args) {
  const AlltoallBlocks blocks(run, args);
  for (int other = 0; other < run.remote_size; ++other) blocks.receive(run.remote(other), other);
  for (int other = 0; other < run.remote_size; ++other) blocks.send(run.remote(other), other);
  co_await run.round();
}

}  // namespace

Algorithm intercommunicator_algorithm(Operation operation) {
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
    case Operation::kGather:
    case Operation::kGatherv:
      return gather_between;
    case Operation::kScatter:
    case Operation::kScatterv:
      return scatter_between;
    case Operation::kAllgather:
      return allgather_between;
    case Operation::kAllgatherv:
      return allgatherv_between;
    case Operation::kAlltoall:
    case Operation::kAlltoallv:
    case Operation::kAlltoallw:
      return alltoall_between;
    default:
      return nullptr;
  }
}

}  // namespace pysmpi
