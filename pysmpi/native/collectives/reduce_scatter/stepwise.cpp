// Reduce-scatter with one block in each step.
#include <algorithm>
#include <utility>

#include "collectives/reduce_scatter/offsets.hpp"
#include "collectives/reduce_scatter/reduce_scatter.hpp"
#include "collectives/variants.hpp"
#include "schedule/local_work.hpp"

namespace pysmpi {

// Pairwise exchange (MPICH), P - 1 rounds: in step i each rank sends to the rank i places above it, and receives the
// contribution to its own block from the rank i places below it. The operation must commute.
Schedule reduce_scatter_pairwise(Runner& run, Arguments args) {
  if (!args.reduction.commutative) {
    note_fallback("reduce_scatter", "mpich_pair", "mpich_rdb", "the operation is not commutative");
    co_await reduce_scatter_recursive_doubling(run, args);
    co_return;
  }
  const int rank = run.rank, size = run.size;
  const Offsets begin(args, size);
  const std::int64_t mine = args.receive_count_of(rank);
  const Scratch other(mine, args.receive_type, folded_or_received(args));
  local_copy(contribution_at(args, begin[rank]), mine, args.receive_type, args.receive, mine, args.receive_type);
  for (int i = 1; i < size; ++i) {
    const int to = (rank + i) % size, from = (rank - i + size) % size;
    co_await run.exchange(to, contribution_at(args, begin[to]), args.receive_count_of(to), args.receive_type, from,
                          other.data(), mine, args.receive_type);
    co_await run.reduce(args.reduction, args.receive_type, other.data(), args.receive, mine);
  }
}

namespace {

// Ring (Open MPI), P - 1 rounds: each block travels once round the ring, and every rank adds its contribution. Two
// block buffers alternate: one receives while the other one's sum is sent. The operation must commute.
Schedule go_round(Runner& run, Arguments args, Left left) {
  const int rank = run.rank, size = run.size;
  const std::int64_t mine = args.receive_count_of(rank);
  const Offsets begin(args, size);
  if (size == 1) {
    local_copy(args.send, mine, args.receive_type, args.receive, mine, args.receive_type);
    co_return;
  }
  if (LocalWork::current().takes_time()) {
    // Open MPI copies the whole vector, and combines in the copy. Here each block is combined where it is received.
    const std::int64_t bytes = begin[size] * find_datatype(args.receive_type)->size;
    LocalWork::current().note_copied(bytes);
    LocalWork::current().note_buffer(bytes, bytes, true);
  }
  std::int64_t longest = 0;
  for (int i = 0; i < size; ++i) longest = std::max(longest, args.receive_count_of(i));
  Scratch coming(longest, args.receive_type, folded_or_received(args)),
      leaving(longest, args.receive_type, folded_or_received(args));
  Scratch sum(left == Left::kReceived ? longest : 0, args.receive_type, folded_or_received(args));
  const int above = (rank + 1) % size, below = (rank - 1 + size) % size;
  RequestId next = run.start_receive(below, coming.data(), longest, args.receive_type);
  co_await run.send_now(above, contribution_at(args, begin[below]), args.receive_count_of(below), args.receive_type);
  for (int step = 2; step <= size; ++step) {
    const int block = (rank - step + size) % size;
    const std::int64_t count = args.receive_count_of(block);
    const RequestId arriving = next;
    std::swap(coming, leaving);
    if (step < size) next = run.start_receive(below, coming.data(), longest, args.receive_type);
    co_await run.finish(arriving);
    if (left == Left::kOwn) {
      co_await run.reduce(args.reduction, args.receive_type, contribution_at(args, begin[block]), leaving.data(),
                          count);
    } else {
      local_copy(contribution_at(args, begin[block]), count, args.receive_type, sum.data(), count, args.receive_type);
      co_await run.reduce(args.reduction, args.receive_type, leaving.data(), sum.data(), count);
      std::swap(sum, leaving);
    }
    if (step < size) co_await run.send_now(above, leaving.data(), count, args.receive_type);
  }
  local_copy(leaving.data(), mine, args.receive_type, args.receive, mine, args.receive_type);
}

Schedule go_round_if_commutative(Runner& run, Arguments args, const char* name, Left left) {
  if (args.reduction.commutative) return go_round(run, args, left);
  note_fallback("reduce_scatter", name, "ompi_nonoverlapping", "the operation is not commutative");
  return reduce_scatter_nonoverlapping(run, args);
}

}  // namespace

// SMPI's version of Open MPI's ring, and Open MPI's own.
Schedule reduce_scatter_ring(Runner& run, Arguments args) {
  return go_round_if_commutative(run, args, "ompi_ring", Left::kOwn);
}
Schedule reduce_scatter_openmpi_ring(Runner& run, Arguments args) {
  return go_round_if_commutative(run, args, "openmpi_ring", Left::kReceived);
}

}  // namespace pysmpi
