// Barrier algorithms. All messages are empty. The cost of each algorithm is listed in barrier/catalogue.cpp.
#include "collectives/barrier/barrier.hpp"
#include "collectives/sizes.hpp"

#include <algorithm>

namespace pysmpi {

namespace {

Schedule report_to_first(Runner& run) {
  co_await run.send_now(0, nullptr, 0, kByte);
  co_await run.receive_now(0, nullptr, 0, kByte);
}

Schedule receive_from_all(Runner& run) {
  for (int other = 1; other < run.size; ++other) run.receive(other, nullptr, 0, kByte);
  co_await run.round();
  for (int other = 1; other < run.size; ++other) run.send(other, nullptr, 0, kByte);
  co_await run.round();
}

// Recursive doubling, log2 P + 2 rounds. Ranks beyond the largest power of two send to a partner below it first and
// receive from it at the end. Example with 6 ranks: 4 sends to 0 and 5 to 1; ranks 0 to 3 exchange at distances 1 and
// 2; then 0 sends to 4 and 1 to 5. If `acknowledged`, 4 and 5 answer this last message, and 0 and 1 wait for the
// answer.
Schedule doubling(Runner& run, bool acknowledged) {
  const int power = power_of_two_up_to(run.size);
  const int beyond = run.size - power;
  if (run.rank >= power) {
    const int partner = run.rank - power;
    co_await run.exchange(partner, nullptr, 0, kByte, partner, nullptr, 0, kByte);
    if (acknowledged) co_await run.send_now(partner, nullptr, 0, kByte, SendMode::kAcknowledgement);
    co_return;
  }
  if (run.rank < beyond) co_await run.receive_now(run.rank + power, nullptr, 0, kByte);
  for (int distance = 1; distance < power; distance *= 2) {
    const int partner = run.rank ^ distance;
    co_await run.exchange(partner, nullptr, 0, kByte, partner, nullptr, 0, kByte);
  }
  if (run.rank >= beyond) co_return;
  co_await run.send_now(run.rank + power, nullptr, 0, kByte);
  if (acknowledged) co_await run.receive_now(run.rank + power, nullptr, 0, kByte);
}

}  // namespace

// Linear: all ranks send to rank 0, which then sends to all. 2 rounds.
Schedule barrier_linear(Runner& run, Arguments) { return (run.rank == 0 ? receive_from_all : report_to_first)(run); }

Schedule barrier_recursive_doubling(Runner& run, Arguments) { return doubling(run, false); }

// Open MPI's last message is a synchronous send (coll_base_barrier.c of 4.1.6), which completes when the receiver has
// acknowledged it.
Schedule barrier_openmpi_recursive_doubling(Runner& run, Arguments) { return doubling(run, true); }

Schedule barrier_two_ranks(Runner& run, Arguments args) {
  if (run.size > 2)
    note_fallback("barrier", "ompi_two_procs", "ompi_recursivedoubling", "there are more than two ranks");
  return barrier_recursive_doubling(run, args);
}

// Dissemination (Hensgen, Finkel, Manber 1988), which MPI libraries call Bruck's. ceil(log2 P) rounds: in round i each
// rank sends to the rank 2^i places above it and receives from the rank 2^i places below it.
Schedule barrier_bruck(Runner& run, Arguments) {
  for (int distance = 1; distance < run.size; distance *= 2) {
    const int to = (run.rank + distance) % run.size, from = (run.rank - distance + run.size) % run.size;
    co_await run.exchange(to, nullptr, 0, kByte, from, nullptr, 0, kByte);
  }
}

// Dissemination of radix k (MPICH's k_dissemination): each rank exchanges messages with k - 1 ranks in each round.
Schedule barrier_dissemination(Runner& run, Arguments args) {
  const std::int64_t radix = args.parameter == 0 ? 2 : std::max(2, args.parameter);
  for (std::int64_t distance = 1; distance < run.size; distance *= radix) {
    for (int i = 1; i < radix && distance * i < run.size; ++i) {
      run.receive(static_cast<int>((run.rank - distance * i + run.size) % run.size), nullptr, 0, kByte);
    }
    for (int i = 1; i < radix && distance * i < run.size; ++i) {
      run.send(static_cast<int>((run.rank + distance * i) % run.size), nullptr, 0, kByte);
    }
    co_await run.round();
  }
}

// A binomial tree: up to rank 0, then down again. 2 log2 P rounds.
Schedule barrier_tree(Runner& run, Arguments) {
  int top = 1;
  while (top < run.size) top *= 2;
  const auto meets = [&run](int jump) {
    const int partner = run.rank ^ jump;
    return (partner & (jump - 1)) == 0 && partner < run.size;
  };
  for (int jump = 1; jump < top; jump *= 2) {
    if (!meets(jump)) continue;
    const int partner = run.rank ^ jump;
    if (partner > run.rank) {
      co_await run.receive_now(partner, nullptr, 0, kByte);
    } else {
      co_await run.send_now(partner, nullptr, 0, kByte);
    }
  }
  for (int jump = top / 2; jump > 0; jump /= 2) {
    if (!meets(jump)) continue;
    const int partner = run.rank ^ jump;
    if (partner > run.rank) {
      co_await run.send_now(partner, nullptr, 0, kByte);
    } else {
      co_await run.receive_now(partner, nullptr, 0, kByte);
    }
  }
}

// A token travels round the ring twice. The first lap shows that all ranks have entered; the second lets them leave.
Schedule barrier_double_ring(Runner& run, Arguments) {
  if (run.size == 1) co_return;
  const int left = (run.rank + run.size - 1) % run.size, right = (run.rank + 1) % run.size;
  for (int lap = 0; lap < 2; ++lap) {
    if (run.rank > 0) co_await run.receive_now(left, nullptr, 0, kByte);
    co_await run.send_now(right, nullptr, 0, kByte);
    if (run.rank == 0) co_await run.receive_now(left, nullptr, 0, kByte);
  }
}

}  // namespace pysmpi
