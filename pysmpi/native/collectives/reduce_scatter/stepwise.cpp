// Reduce-scatter with one block in each step.
#include <algorithm>

#include "collectives/reduce_scatter/offsets.hpp"
#include "collectives/reduce_scatter/reduce_scatter.hpp"

namespace pysmpi {

// Pairwise exchange (MPICH), P - 1 rounds: in step i each rank sends to the rank i above and receives its own block's
// contribution from the rank i below. The operation must commute.
Schedule reduce_scatter_pairwise(Runner& run, Arguments a) {
  if (!a.reduction.commutative) {
    note_fallback("reduce_scatter", "mpich_pair", "mpich_rdb", "the operation is not commutative");
    co_await reduce_scatter_recursive_doubling(run, a);
    co_return;
  }
  const int rank = run.rank, size = run.size;
  const Offsets begin(a, size);
  const std::int64_t mine = a.receive_count_of(rank);
  const Scratch other(mine, a.receive_type, a.receive);
  copy(contribution_at(a, begin[rank]), mine, a.receive_type, a.receive, mine, a.receive_type);
  for (int i = 1; i < size; ++i) {
    const int to = (rank + i) % size, from = (rank - i + size) % size;
    co_await run.exchange(to, contribution_at(a, begin[to]), a.receive_count_of(to), a.receive_type, from, other.data(),
                          mine, a.receive_type);
    co_await run.reduce(a.reduction, a.receive_type, other.data(), a.receive, mine);
  }
}

// Ring (Open MPI), P - 1 rounds: each block travels once round the ring, and every rank adds its contribution. Two
// block buffers alternate: one receives while the other one's sum is sent. The operation must commute.
Schedule reduce_scatter_ring(Runner& run, Arguments a) {
  if (!a.reduction.commutative) {
    note_fallback("reduce_scatter", "ompi_ring", "ompi_nonoverlapping", "the operation is not commutative");
    co_await reduce_scatter_nonoverlapping(run, a);
    co_return;
  }
  const int rank = run.rank, size = run.size;
  const std::int64_t mine = a.receive_count_of(rank);
  const Offsets begin(a, size);
  if (size == 1) {
    copy(a.send, mine, a.receive_type, a.receive, mine, a.receive_type);
    co_return;
  }
  std::int64_t longest = 0;
  for (int i = 0; i < size; ++i) longest = std::max(longest, a.receive_count_of(i));
  Scratch coming(longest, a.receive_type, a.receive), leaving(longest, a.receive_type, a.receive);
  const int above = (rank + 1) % size, below = (rank - 1 + size) % size;
  RequestId next = run.start_receive(below, coming.data(), longest, a.receive_type);
  co_await run.send_now(above, contribution_at(a, begin[below]), a.receive_count_of(below), a.receive_type);
  for (int step = 2; step < size; ++step) {
    const int block = (rank - step + size) % size;
    const RequestId arriving = next;
    std::swap(coming, leaving);
    next = run.start_receive(below, coming.data(), longest, a.receive_type);
    co_await run.finish(arriving);
    co_await run.reduce(a.reduction, a.receive_type, contribution_at(a, begin[block]), leaving.data(),
                        a.receive_count_of(block));
    co_await run.send_now(above, leaving.data(), a.receive_count_of(block), a.receive_type);
  }
  co_await run.finish(next);
  co_await run.reduce(a.reduction, a.receive_type, contribution_at(a, begin[rank]), coming.data(), mine);
  copy(coming.data(), mine, a.receive_type, a.receive, mine, a.receive_type);
}

}  // namespace pysmpi
