// Allreduce algorithms that consist of two other collectives.
#include <algorithm>

#include "collectives/allreduce/allreduce.hpp"
#include "collectives/bcast/bcast.hpp"
#include "collectives/reduce/reduce.hpp"

namespace pysmpi {

namespace {

// Arguments of the final allgather: each rank contributes a part of `length` elements.
Arguments gathering(const Arguments& args, const void* part, void* whole, std::int64_t length) {
  Arguments gather;
  gather.send = part;
  gather.receive = whole;
  gather.send_count = gather.receive_count = length;
  gather.send_type = gather.receive_type = args.receive_type;
  return gather;
}

}  // namespace

// The reduce's frames are freed before those of the broadcast are made, see reduce_and_bcast in selectors/default.cpp.
Schedule allreduce_reduce_bcast(Runner& run, Arguments args) {
  args.root = 0;
  Schedule step = collective(Operation::kReduce, run, args);
  co_await step;
  step.clear();
  step = collective(Operation::kBcast, run, args);
  co_await step;
}

// Open MPI's basic linear reduce and broadcast, which keep the order of operands.
Schedule allreduce_linear(Runner& run, Arguments args) {
  args.root = 0;
  co_await reduce_in_order(run, args);
  co_await bcast_linear(run, args);
}

// Recursive halving with the largest distance first, then an allgather. The number of ranks must be a power of two. If
// the vector cannot be divided evenly among the ranks, it is padded.
Schedule allreduce_halving_allgather(Runner& run, Arguments args) {
  const int rank = run.rank, size = run.size;
  if ((size & (size - 1)) || !args.reduction.commutative) {
    note_fallback("allreduce", "rab1", "rab_rdb",
                  "the number of ranks is not a power of two, or the operation is not commutative");
    co_await allreduce_rabenseifner(run, args);
    co_return;
  }
  const std::int64_t share = args.receive_count / size + (args.receive_count % size != 0),
                     extent = args.receive_extent();
  const bool longer = share * size > args.receive_count;
  const Scratch room(longer ? share * size : 0, args.receive_type, args.receive);
  const Scratch other(share * std::max(size / 2, 1), args.receive_type, args.receive);
  char* const result = longer ? room.data() : static_cast<char*>(args.receive);
  local_copy(args.send, args.receive_count, args.receive_type, result, args.receive_count, args.receive_type);
  std::int64_t first = 0;  // first of the shares that the rank still reduces
  for (int distance = size / 2; distance > 0; distance /= 2) {
    const int partner = rank ^ distance;
    const std::int64_t length = distance * share, upper = first + distance;
    const std::int64_t keep = rank < partner ? first : upper, give = rank < partner ? upper : first;
    co_await run.exchange(partner, result + give * share * extent, length, args.receive_type, partner, other.data(),
                          length, args.receive_type);
    const std::int64_t count = std::min(length, args.receive_count - keep * share);
    if (count > 0) {
      co_await run.reduce(args.reduction, args.receive_type, other.data(), result + keep * share * extent, count);
    }
    first = keep;
  }
  co_await collective(Operation::kAllgather, run, gathering(args, result + rank * share * extent, result, share));
  if (longer)
    local_copy(result, args.receive_count, args.receive_type, args.receive, args.receive_count, args.receive_type);
}

// An alltoall gives each rank its part of all vectors. The rank reduces these parts, and an allgather distributes the
// results. If the vector cannot be divided evenly among the ranks, it is padded. If it has fewer elements than ranks,
// SMPI pads it so much that each part has as many elements as there are ranks.
Schedule allreduce_alltoall_allgather(Runner& run, Arguments args) {
  if (!args.reduction.commutative) {
    note_fallback("allreduce", "rab2", "rdb", "the operation is not commutative");
    co_await allreduce_recursive_doubling(run, args);
    co_return;
  }
  const int rank = run.rank, size = run.size;
  const std::int64_t extent = args.receive_extent();
  const bool longer = args.receive_count % size != 0;
  const std::int64_t share = !longer                     ? args.receive_count / size
                             : args.receive_count < size ? size
                                                         : args.receive_count / size + 1;
  const Scratch room(longer ? share * size : 0, args.receive_type, args.receive);
  const Scratch others(share * size, args.receive_type, args.receive);
  if (longer)
    local_copy(args.send, args.receive_count, args.receive_type, room.data(), args.receive_count, args.receive_type);
  co_await collective(Operation::kAlltoall, run,
                      gathering(args, longer ? room.data() : args.send, others.data(), share));
  char* const result = longer ? room.data() : static_cast<char*>(args.receive);
  char* const mine = result + rank * share * extent;
  const std::int64_t count = std::clamp<std::int64_t>(args.receive_count - rank * share, 0, share);
  local_copy(others.data(), count, args.receive_type, mine, count, args.receive_type);
  for (int other = 1; other < size; ++other) {
    co_await run.reduce(args.reduction, args.receive_type, others.data() + other * share * extent, mine, count);
  }
  co_await collective(Operation::kAllgather, run, gathering(args, mine, result, share));
  if (longer)
    local_copy(result, args.receive_count, args.receive_type, args.receive, args.receive_count, args.receive_type);
}

}  // namespace pysmpi
