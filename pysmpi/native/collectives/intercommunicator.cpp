// Collectives between the two groups of an intercommunicator (MPI 4.1, section 6.2.2): each group receives what the
// other group contributes.
//
// Barrier, broadcast, allgather and the reductions go through the first ranks of the groups. A group gathers or reduces
// to its first rank, which communicates with the first rank (or the root) of the other group. The result is then
// distributed within the group. All other operations send one message for each pair of ranks with data, all at once.
#include "collectives/intercommunicator.hpp"

#include "collectives/catalogue.hpp"

namespace pysmpi {

namespace {

// Executes the operation within the calling rank's group, with the chosen algorithm and the group's first rank as root.
Schedule within_group(Operation operation, Runner& run, Arguments a) {
  a.root = 0;
  a.at_root = run.rank == 0;
  a.send_blocks = a.receive_blocks = run.size;
  return collective(operation, run, a);
}

Arguments broadcast_of(void* buffer, std::int64_t count, std::int32_t type) {
  Arguments a;
  a.receive = buffer;
  a.receive_count = count;
  a.receive_type = type;
  return a;
}

// Reduces the group's contributions into `result` at its first rank.
Schedule reduce_in_group(Runner& run, Arguments a, std::int64_t count, void* result) {
  a.receive = result;
  a.receive_count = count;
  return within_group(Operation::kReduce, run, a);
}

Schedule barrier_between(Runner& run, Arguments) {
  const Arguments nothing = broadcast_of(nullptr, 0, kByte);
  for (int other = 1; run.rank == 0 && other < run.size; ++other) run.receive(other, nullptr, 0, kByte);
  if (run.rank != 0) run.send(0, nullptr, 0, kByte);
  co_await run.round();
  if (run.rank == 0) co_await run.exchange(run.remote(0), nullptr, 0, kByte, run.remote(0), nullptr, 0, kByte);
  co_await within_group(Operation::kBcast, run, nothing);
}

Schedule bcast_between(Runner& run, Arguments a) {
  if (a.at_root) {
    co_await run.send_now(run.remote(0), a.receive, a.receive_count, a.receive_type);
  } else if (a.root >= 0) {
    if (run.rank == 0) co_await run.receive_now(run.remote(a.root), a.receive, a.receive_count, a.receive_type);
    co_await within_group(Operation::kBcast, run, a);
  }
}

Schedule reduce_between(Runner& run, Arguments a) {
  if (a.at_root) {
    co_await run.receive_now(run.remote(0), a.receive, a.receive_count, a.receive_type);
  } else if (a.root >= 0) {
    const Scratch result(run.rank == 0 ? a.receive_count : 0, a.receive_type, a.send);
    co_await reduce_in_group(run, a, a.receive_count, result.data());
    if (run.rank == 0) co_await run.send_now(run.remote(a.root), result.data(), a.receive_count, a.receive_type);
  }
}

Schedule allreduce_between(Runner& run, Arguments a) {
  const Scratch result(run.rank == 0 ? a.receive_count : 0, a.receive_type, a.send);
  co_await reduce_in_group(run, a, a.receive_count, result.data());
  if (run.rank == 0) {
    co_await run.exchange(run.remote(0), result.data(), a.receive_count, a.receive_type, run.remote(0), a.receive,
                          a.receive_count, a.receive_type);
  }
  co_await within_group(Operation::kBcast, run, broadcast_of(a.receive, a.receive_count, a.receive_type));
}

Schedule reduce_scatter_between(Runner& run, Arguments a) {
  const std::int64_t total = a.total_receive_count();
  const bool first = run.rank == 0;
  const Scratch own(first ? total : 0, a.receive_type, a.send), others(first ? total : 0, a.receive_type, a.send);
  co_await reduce_in_group(run, a, total, own.data());
  if (first) {
    co_await run.exchange(run.remote(0), own.data(), total, a.receive_type, run.remote(0), others.data(), total,
                          a.receive_type);
  }
  if (first) {
    const char* block = others.data() + a.receive_count_of(0) * a.receive_extent();
    copy(others.data(), a.receive_count_of(0), a.receive_type, a.receive, a.receive_count_of(0), a.receive_type);
    for (int other = 1; other < run.size; ++other) {
      run.send(other, block, a.receive_count_of(other), a.receive_type);
      block += a.receive_count_of(other) * a.receive_extent();
    }
  } else {
    run.receive(0, a.receive, a.receive_count_of(run.rank), a.receive_type);
  }
  co_await run.round();
}

Schedule gather_between(Runner& run, Arguments a) {
  if (a.at_root) {
    for (int other = 0; other < run.remote_size; ++other) {
      const std::int64_t begin = a.receive_counts ? a.receive_displacements[other] : other * a.receive_count;
      run.receive(run.remote(other), a.receive_at(begin), a.receive_count_of(other), a.receive_type);
    }
  } else if (a.root >= 0) {
    run.send(run.remote(a.root), a.send, a.send_count, a.send_type);
  }
  co_await run.round();
}

Schedule scatter_between(Runner& run, Arguments a) {
  if (a.at_root) {
    for (int other = 0; other < run.remote_size; ++other) {
      const std::int64_t begin = a.send_counts ? a.send_displacements[other] : other * a.send_count;
      run.send(run.remote(other), a.send_at(begin), a.send_counts ? a.send_counts[other] : a.send_count, a.send_type);
    }
  } else if (a.root >= 0) {
    run.receive(run.remote(a.root), a.receive, a.receive_count, a.receive_type);
  }
  co_await run.round();
}

Schedule allgather_between(Runner& run, Arguments a) {
  const std::int64_t block = a.send_bytes(), received = run.remote_size * a.receive_count;
  const Scratch own(run.rank == 0 ? run.size * block : 0, kByte, a.send);
  Arguments gather = a;
  gather.receive = own.data();
  gather.receive_count = block;
  gather.receive_type = kByte;
  co_await within_group(Operation::kGather, run, gather);
  if (run.rank == 0) {
    co_await run.exchange(run.remote(0), own.data(), run.size * block, kByte, run.remote(0), a.receive, received,
                          a.receive_type);
  }
  co_await within_group(Operation::kBcast, run, broadcast_of(a.receive, received, a.receive_type));
}

Schedule allgatherv_between(Runner& run, Arguments a) {
  for (int other = 0; other < run.remote_size; ++other) {
    run.receive(run.remote(other), a.receive_at(a.receive_displacements[other]), a.receive_counts[other],
                a.receive_type);
  }
  for (int other = 0; other < run.remote_size; ++other) {
    run.send(run.remote(other), a.send, a.send_count, a.send_type);
  }
  co_await run.round();
}

Schedule alltoall_between(Runner& run, Arguments a) {
  for (int other = 0; other < run.remote_size; ++other) {
    run.receive(run.remote(other), a.receive_at(other * a.receive_count), a.receive_count, a.receive_type);
  }
  for (int other = 0; other < run.remote_size; ++other) {
    run.send(run.remote(other), a.send_at(other * a.send_count), a.send_count, a.send_type);
  }
  co_await run.round();
}

Schedule alltoallv_between(Runner& run, Arguments a) {
  for (int other = 0; other < run.remote_size; ++other) {
    run.receive(run.remote(other), a.receive_at(a.receive_displacements[other]), a.receive_counts[other],
                a.receive_type);
  }
  for (int other = 0; other < run.remote_size; ++other) {
    run.send(run.remote(other), a.send_at(a.send_displacements[other]), a.send_counts[other], a.send_type);
  }
  co_await run.round();
}

Schedule alltoallw_between(Runner& run, Arguments a) {
  for (int other = 0; other < run.remote_size; ++other) {
    run.receive(run.remote(other), static_cast<char*>(a.receive) + a.receive_displacements[other],
                a.receive_counts[other], static_cast<std::int32_t>(a.receive_types[other]));
  }
  for (int other = 0; other < run.remote_size; ++other) {
    run.send(run.remote(other), static_cast<const char*>(a.send) + a.send_displacements[other], a.send_counts[other],
             static_cast<std::int32_t>(a.send_types[other]));
  }
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
      return alltoall_between;
    case Operation::kAlltoallv:
      return alltoallv_between;
    case Operation::kAlltoallw:
      return alltoallw_between;
    default:
      return nullptr;
  }
}

}  // namespace pysmpi
