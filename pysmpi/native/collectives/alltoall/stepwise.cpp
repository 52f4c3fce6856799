// Alltoall algorithms with one partner in each step.
#include "collectives/alltoall/alltoall.hpp"
#include "collectives/alltoall/blocks.hpp"
#include "collectives/sizes.hpp"
#include "matching/node_map.hpp"

namespace pysmpi {

namespace {

enum class Partners : std::uint8_t { kExclusiveOr, kByDistance };

Partners by_exclusive_or(const Runner& run) {
  return is_power_of_two(run.size) ? Partners::kExclusiveOr : Partners::kByDistance;
}

// Chooses partners for algorithms that SMPI supports only on a power-of-two number of ranks. On another number of
// ranks, records that the algorithm falls back to partners by distance, as in MPICH's pairwise exchange.
Partners by_exclusive_or(const Runner& run, const Arguments& args, const char* algorithm, const char* instead) {
  const Partners partners = by_exclusive_or(run);
  if (partners == Partners::kByDistance) {
    note_fallback(args.send_counts ? "alltoallv" : "alltoall", algorithm, instead,
                  "the number of ranks is not a power of two");
  }
  return partners;
}

struct Partner {
  int to, from;
};

Partner partner(const Runner& run, Partners partners, int step) {
  if (partners == Partners::kExclusiveOr) return {run.rank ^ step, run.rank ^ step};
  return {(run.rank + step) % run.size, (run.rank - step + run.size) % run.size};
}

enum class Between : std::uint8_t { kNothing, kToken, kBarrier };  // what happens between steps

Schedule exchange_stepwise(Runner& run, Arguments args, Partners partners, Between between) {
  const AlltoallBlocks blocks(run, args);
  const int size = run.size;
  const char token = 0;
  char received_token;
  for (int step = 0; step < size; ++step) {
    if (between == Between::kBarrier) co_await collective(Operation::kBarrier, run, {});
    if (step == 0) {
      blocks.copy_own();
      continue;
    }
    const Partner now = partner(run, partners, step);
    co_await blocks.exchange(now.to, now.from);
    if (between == Between::kToken && step + 1 < size) {  // informs the next sender that this rank is ready
      const Partner next = partner(run, partners, step + 1);
      co_await run.exchange(next.from, &token, 1, kByte, next.to, &received_token, 1, kByte);
    }
  }
}

Schedule exchange_after_barrier(Runner& run, Arguments args, Partners partners) {
  co_await collective(Operation::kBarrier, run, {});
  co_await exchange_stepwise(run, args, partners, Between::kNothing);
}

}  // namespace

Schedule alltoall_pairwise(Runner& run, Arguments args) {
  return exchange_stepwise(run, args, by_exclusive_or(run), Between::kNothing);
}

Schedule alltoall_pair(Runner& run, Arguments args) {
  return exchange_stepwise(run, args, by_exclusive_or(run, args, "pair", "ring"), Between::kNothing);
}

Schedule alltoall_pair_light_barrier(Runner& run, Arguments args) {
  const Partners partners = by_exclusive_or(run, args, "pair_light_barrier", "ring_light_barrier");
  return exchange_stepwise(run, args, partners, Between::kToken);
}

Schedule alltoall_pair_mpi_barrier(Runner& run, Arguments args) {
  const Partners partners = by_exclusive_or(run, args, "pair_mpi_barrier", "ring_mpi_barrier");
  return exchange_stepwise(run, args, partners, Between::kBarrier);
}

Schedule alltoall_pair_one_barrier(Runner& run, Arguments args) {
  return exchange_after_barrier(run, args, by_exclusive_or(run, args, "pair_one_barrier", "ring_one_barrier"));
}

Schedule alltoall_ring(Runner& run, Arguments args) {
  return exchange_stepwise(run, args, Partners::kByDistance, Between::kNothing);
}

// Open MPI's pairwise exchange for vectors: the first step is a message of the rank to itself, and messages without
// data are left out. A communicator of one rank is served by another component (coll/self), which sends nothing.
Schedule alltoallv_openmpi_pairwise(Runner& run, Arguments args) {
  const AlltoallBlocks blocks(run, args);
  if (run.size == 1) {
    blocks.copy_own();
    co_return;
  }
  for (int step = 0; step < run.size; ++step) {
    const Partner now = partner(run, Partners::kByDistance, step);
    if (blocks.in_bytes(now.from) > 0) blocks.receive(now.from);
    if (blocks.out_bytes(now.to) > 0) blocks.send(now.to);
    co_await run.round();
  }
}

// Open MPI's exchange for MPI_IN_PLACE: in step i with the ranks i places above and below. Messages without data are
// left out.
Schedule alltoall_openmpi_in_place(Runner& run, Arguments args) {
  const AlltoallBlocks blocks(run, args);
  blocks.copy_own();
  for (int step = 1; step <= run.size / 2; ++step) {
    const int above = (run.rank + step) % run.size, below = (run.rank - step + run.size) % run.size;
    if (blocks.in_bytes(above) > 0) blocks.receive(above);
    if (below != above) {
      if (blocks.out_bytes(below) > 0) blocks.send(below);
      co_await run.round();
      if (blocks.in_bytes(below) > 0) blocks.receive(below);
    }
    if (blocks.out_bytes(above) > 0) blocks.send(above);
    co_await run.round();
  }
}

// MPICH's exchange for MPI_IN_PLACE: with one other rank after the other, in the order of ranks.
Schedule alltoall_in_rank_order(Runner& run, Arguments args) {
  const AlltoallBlocks blocks(run, args);
  blocks.copy_own();
  for (int other = 0; other < run.size; ++other) {
    if (other != run.rank) co_await blocks.exchange(other, other);
  }
}

// MPICH 5's exchange for MPI_IN_PLACE: first with the ranks of the own node, then with all others.
Schedule alltoall_own_node_first(Runner& run, Arguments args) {
  if (run.in_part()) {
    co_await alltoall_in_rank_order(run, args);
    co_return;
  }
  const std::vector<std::int32_t>& node_of = node_map_in_rank_order(run.communicator()).node_of;
  const AlltoallBlocks blocks(run, args);
  blocks.copy_own();
  for (const bool is_near : {true, false}) {
    for (int other = 0; other < run.size; ++other) {
      if (other == run.rank || (node_of[other] == node_of[run.rank]) != is_near) continue;
      co_await blocks.exchange(other, other);
    }
  }
}

Schedule alltoall_ring_light_barrier(Runner& run, Arguments args) {
  return exchange_stepwise(run, args, Partners::kByDistance, Between::kToken);
}

Schedule alltoall_ring_mpi_barrier(Runner& run, Arguments args) {
  return exchange_stepwise(run, args, Partners::kByDistance, Between::kBarrier);
}

Schedule alltoall_ring_one_barrier(Runner& run, Arguments args) {
  return exchange_after_barrier(run, args, Partners::kByDistance);
}

Schedule alltoall_two_proc(Runner& run, Arguments args) {
  if (run.size == 2) return exchange_stepwise(run, args, Partners::kExclusiveOr, Between::kNothing);
  note_fallback("alltoall", "ompi_two_proc", "basic_linear", "the number of ranks is not two");
  return alltoall_linear(run, args);
}

// Each rank puts its blocks into a window on the receive buffers, which exists only for this call. An allgather
// exchanges the window handles. A fence takes two barriers, and freeing the window takes two as well. Puts are sent at
// once; only their receivers wait for them.
Schedule alltoall_pair_rma(Runner& run, Arguments args) {
  const Partners partners = by_exclusive_or(run, args, "pair_rma", "puts by distance");
  const AlltoallBlocks blocks(run, args);
  constexpr std::int64_t kHandle = 8;
  const char handle[kHandle] = {};
  const Scratch handles(run.size * kHandle);
  Arguments gather;
  gather.send = handle;
  gather.receive = handles.data();
  gather.send_count = gather.receive_count = kHandle;
  gather.send_type = gather.receive_type = kByte;
  gather.send_blocks = gather.receive_blocks = run.size;
  co_await collective(Operation::kAllgather, run, gather);

  co_await collective(Operation::kBarrier, run, {});
  for (int step = 1; step < run.size; ++step) blocks.receive(partner(run, partners, step).from);
  {
    const Runner::Meanwhile meanwhile(run);
    co_await collective(Operation::kBarrier, run, {});
  }
  blocks.copy_own();
  for (int step = 1; step < run.size; ++step) {
    co_await blocks.start_send(partner(run, partners, step).to, SendMode::kBuffered);
  }
  {
    const Runner::Meanwhile meanwhile(run);
    co_await collective(Operation::kBarrier, run, {});
  }
  co_await run.round();
  for (int barrier = 0; barrier < 3; ++barrier) co_await collective(Operation::kBarrier, run, {});
}

}  // namespace pysmpi
