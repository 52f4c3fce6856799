// Barriers: messages without contents.
#include "collectives/barrier/barrier.hpp"

#include <algorithm>

namespace pysmpi {

namespace {

Schedule report_to_first(Runner& run) {
  co_await run.send_now(0, nullptr, 0, kByte);
  co_await run.receive_now(0, nullptr, 0, kByte);
}

Schedule hear_all(Runner& run) {
  for (int other = 1; other < run.size; ++other) run.receive(other, nullptr, 0, kByte);
  co_await run.round();
  for (int other = 1; other < run.size; ++other) run.send(other, nullptr, 0, kByte);
  co_await run.round();
}

}  // namespace

Schedule barrier_linear(Runner& run, Arguments) { return (run.rank == 0 ? hear_all : report_to_first)(run); }

// Ranks beyond the largest power of two report to a partner below it, and hear back at the end.
Schedule barrier_recursive_doubling(Runner& run, Arguments) {
  int power = 1;
  while (2 * power <= run.size) power *= 2;
  const int beyond = run.size - power;
  if (run.rank >= power) {
    const int partner = run.rank - power;
    co_await run.exchange(partner, nullptr, 0, kByte, partner, nullptr, 0, kByte);
    co_return;
  }
  if (run.rank < beyond) co_await run.receive_now(run.rank + power, nullptr, 0, kByte);
  for (int distance = 1; distance < power; distance *= 2) {
    const int partner = run.rank ^ distance;
    co_await run.exchange(partner, nullptr, 0, kByte, partner, nullptr, 0, kByte);
  }
  if (run.rank < beyond) co_await run.send_now(run.rank + power, nullptr, 0, kByte);
}

Schedule barrier_two_ranks(Runner& run, Arguments a) {
  if (run.size > 2) note_fallback("barrier", "ompi_two_procs", "ompi_recursivedoubling", "more than two ranks");
  return barrier_recursive_doubling(run, a);
}

// Dissemination (Hensgen, Finkel, Manber 1988), which MPI libraries call Bruck's.
Schedule barrier_bruck(Runner& run, Arguments) {
  for (int distance = 1; distance < run.size; distance *= 2) {
    const int to = (run.rank + distance) % run.size, from = (run.rank - distance + run.size) % run.size;
    co_await run.exchange(to, nullptr, 0, kByte, from, nullptr, 0, kByte);
  }
}

// The same with k ranks heard at once in each round: dissemination of radix k (MPICH's k_dissemination).
Schedule barrier_dissemination(Runner& run, Arguments a) {
  const std::int64_t radix = a.parameter == 0 ? 2 : std::max(2, a.parameter);
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

// Up a binomial tree and down again.
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

// A token goes round twice: all have entered, all may leave.
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
