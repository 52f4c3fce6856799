// Allreduce algorithms that consist of two other collectives.
#include <algorithm>

#include "collectives/allreduce/allreduce.hpp"
#include "collectives/bcast/bcast.hpp"
#include "collectives/reduce/reduce.hpp"

namespace pysmpi {

namespace {

// Arguments of the final allgather: each rank contributes a part of `length` elements.
Arguments gathering(const Arguments& a, const void* part, void* whole, std::int64_t length) {
  Arguments gather;
  gather.send = part;
  gather.receive = whole;
  gather.send_count = gather.receive_count = length;
  gather.send_type = gather.receive_type = a.receive_type;
  return gather;
}

}  // namespace

Schedule allreduce_reduce_bcast(Runner& run, Arguments a) {
  a.root = 0;
  co_await collective(Operation::kReduce, run, a);
  co_await collective(Operation::kBcast, run, a);
}

// Open MPI's basic linear reduce and broadcast, which keep the order of operands.
Schedule allreduce_linear(Runner& run, Arguments a) {
  a.root = 0;
  co_await reduce_in_order(run, a);
  co_await bcast_linear(run, a);
}

// Recursive halving with the largest distance first, then an allgather. It needs a power-of-two number of ranks. If the
// vector cannot be divided among the ranks, it is padded.
Schedule allreduce_halving_allgather(Runner& run, Arguments a) {
  const int rank = run.rank, size = run.size;
  if ((size & (size - 1)) || !a.reduction.commutative) {
    note_fallback("allreduce", "rab1", "rab_rdb",
                  "the number of ranks is not a power of two, or the operation is not commutative");
    co_await allreduce_rabenseifner(run, a);
    co_return;
  }
  const std::int64_t share = a.receive_count / size + (a.receive_count % size != 0), extent = a.receive_extent();
  const bool longer = share * size > a.receive_count;
  const Scratch room(longer ? share * size : 0, a.receive_type, a.receive);
  const Scratch other(share * std::max(size / 2, 1), a.receive_type, a.receive);
  char* const result = longer ? room.data() : static_cast<char*>(a.receive);
  copy(a.send, a.receive_count, a.receive_type, result, a.receive_count, a.receive_type);
  std::int64_t first = 0;  // first of the shares that the rank still reduces
  for (int distance = size / 2; distance > 0; distance /= 2) {
    const int partner = rank ^ distance;
    const std::int64_t length = distance * share, upper = first + distance;
    const std::int64_t keep = rank < partner ? first : upper, give = rank < partner ? upper : first;
    co_await run.exchange(partner, result + give * share * extent, length, a.receive_type, partner, other.data(),
                          length, a.receive_type);
    const std::int64_t count = std::min(length, a.receive_count - keep * share);
    if (count > 0) {
      co_await run.reduce(a.reduction, a.receive_type, other.data(), result + keep * share * extent, count);
    }
    first = keep;
  }
  co_await collective(Operation::kAllgather, run, gathering(a, result + rank * share * extent, result, share));
  if (longer) copy(result, a.receive_count, a.receive_type, a.receive, a.receive_count, a.receive_type);
}

// An alltoall gives each rank its part of all vectors; it reduces them, and an allgather distributes the parts. If the
// vector cannot be divided among the ranks, it is padded. With fewer elements than ranks, each part has as many
// elements as there are ranks.
Schedule allreduce_alltoall_allgather(Runner& run, Arguments a) {
  if (!a.reduction.commutative) {
    note_fallback("allreduce", "rab2", "rdb", "the operation is not commutative");
    co_await allreduce_recursive_doubling(run, a);
    co_return;
  }
  const int rank = run.rank, size = run.size;
  const std::int64_t extent = a.receive_extent();
  const bool longer = a.receive_count % size != 0;
  const std::int64_t share = !longer                  ? a.receive_count / size
                             : a.receive_count < size ? size
                                                      : a.receive_count / size + 1;
  const Scratch room(longer ? share * size : 0, a.receive_type, a.receive);
  const Scratch others(share * size, a.receive_type, a.receive);
  if (longer) copy(a.send, a.receive_count, a.receive_type, room.data(), a.receive_count, a.receive_type);
  co_await collective(Operation::kAlltoall, run, gathering(a, longer ? room.data() : a.send, others.data(), share));
  char* const result = longer ? room.data() : static_cast<char*>(a.receive);
  char* const mine = result + rank * share * extent;
  const std::int64_t count = std::clamp<std::int64_t>(a.receive_count - rank * share, 0, share);
  copy(others.data(), count, a.receive_type, mine, count, a.receive_type);
  for (int other = 1; other < size; ++other) {
    co_await run.reduce(a.reduction, a.receive_type, others.data() + other * share * extent, mine, count);
  }
  co_await collective(Operation::kAllgather, run, gathering(a, mine, result, share));
  if (longer) copy(result, a.receive_count, a.receive_type, a.receive, a.receive_count, a.receive_type);
}

}  // namespace pysmpi
