// Allreduce algorithms on a ring of ranks.
#include <algorithm>

#include "collectives/allreduce/allreduce.hpp"

namespace pysmpi {

namespace {

// Division of `count` elements into `parts` nearly equal parts, the larger ones first.
struct EvenParts {
  std::int64_t count;
  int parts;
  std::int64_t begin(int i) const { return i * (count / parts) + std::min<std::int64_t>(i, count % parts); }
  std::int64_t length(int i) const { return count / parts + (i < count % parts); }
};

// Reduce-scatter round a ring, then an allgather of whole blocks, one for each rank. Each block is cut into `phases`
// segments, and the reduce-scatter handles one segment of every block in each phase.
Schedule go_round_in_phases(Runner& run, Arguments args, int phases) {
  const int rank = run.rank, size = run.size;
  const EvenParts blocks{args.receive_count, size};
  const std::int64_t longest = EvenParts{blocks.length(0), phases}.length(0);
  const Scratch in[2] = {{longest, args.receive_type, args.receive}, {longest, args.receive_type, args.receive}};
  local_copy(args.send, args.receive_count, args.receive_type, args.receive, args.receive_count, args.receive_type);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int phase = 0; phase < phases; ++phase) {
    int which = 0;
    RequestId arriving = run.start_receive(left, in[which].data(), longest, args.receive_type);
    for (int step = 0; step < size; ++step) {
      const int block = (rank + size - step) % size;
      const EvenParts segments{blocks.length(block), phases};
      char* mine = args.receive_at(blocks.begin(block) + segments.begin(phase));
      if (step > 0) {
        const int arrived = which;
        const RequestId previous = arriving;
        if (step < size - 1) {
          which ^= 1;
          arriving = run.start_receive(left, in[which].data(), longest, args.receive_type);
        }
        co_await run.finish(previous);
        co_await run.reduce(args.reduction, args.receive_type, in[arrived].data(), mine, segments.length(phase));
      }
      if (step < size - 1) co_await run.send_now(right, mine, segments.length(phase), args.receive_type);
    }
  }
  for (int step = 0; step < size - 1; ++step) {
    const int out = (rank + 1 + size - step) % size, in_block = (rank + size - step) % size;
    co_await run.exchange(right, args.receive_at(blocks.begin(out)), blocks.length(out), args.receive_type, left,
                          args.receive_at(blocks.begin(in_block)), blocks.length(0), args.receive_type);
  }
}

}  // namespace

// Ring (Patarasuk, Yuan 2009), 2 (P - 1) rounds: reduce-scatter and allgather round a ring of parts of equal length. If
// the vector cannot be divided evenly, a further allreduce treats the elements that remain. With fewer elements than
// ranks, a reduce and a broadcast replace the ring.
Schedule allreduce_ring(Runner& run, Arguments args) {
  if (!args.reduction.commutative) {
    note_fallback("allreduce", "lr", "rdb", "the operation is not commutative");
    co_await allreduce_recursive_doubling(run, args);
    co_return;
  }
  const int rank = run.rank, size = run.size;
  if (args.receive_count < size) {
    co_await allreduce_reduce_bcast(run, args);
    co_return;
  }
  const std::int64_t part = args.receive_count / size, remainder = args.receive_count % size;
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  const auto original = [&args, part](int i) {
    return static_cast<const char*>(args.send) + i * part * args.receive_extent();
  };
  const auto result = [&args, part](int i) { return args.receive_at(i * part); };
  local_copy(original(left), part, args.receive_type, result(left), part, args.receive_type);
  for (int step = 0; step < size - 1; ++step) {
    const int out = (rank - 1 - step + size) % size, in = (rank - 2 - step + 2 * size) % size;
    co_await run.exchange(right, result(out), part, args.receive_type, left, result(in), part, args.receive_type);
    co_await run.reduce(args.reduction, args.receive_type, original(in), result(in), part);
  }
  for (int step = 0; step < size - 1; ++step) {
    const int out = (rank - step + size) % size, in = (rank - 1 - step + size) % size;
    co_await run.exchange(right, result(out), part, args.receive_type, left, result(in), part, args.receive_type);
  }
  if (remainder > 0) {
    args.send = original(size);
    args.receive = result(size);
    args.receive_count = remainder;
    co_await collective(Operation::kAllreduce, run, args);
  }
}

// The ring algorithm applied to one piece of the vector after another, so that blocks have at most 1 MiB. Smaller
// vectors use the plain ring.
Schedule allreduce_segmented_ring(Runner& run, Arguments args) {
  if (!args.reduction.commutative) {
    note_fallback("allreduce", "ompi_ring_segmented", "rdb", "the operation is not commutative");
    co_await allreduce_recursive_doubling(run, args);
    co_return;
  }
  constexpr std::int64_t kSegment = 1 << 20;
  const int size = run.size;
  const std::int64_t item = find_datatype(args.receive_type)->size;
  std::int64_t segment = args.receive_count;
  if (kSegment >= item && kSegment < args.receive_bytes()) segment = kSegment / item + (kSegment % item > item / 2);
  if (size == 1 || segment == 0 || args.receive_count < size * segment) {
    co_await allreduce_ring(run, args);
    co_return;
  }
  const std::int64_t left_over = args.receive_count % (size * segment);
  const int phases =
      static_cast<int>(args.receive_count / (size * segment)) + (left_over >= size && left_over > size * segment / 2);
  co_await go_round_in_phases(run, args, phases);
}

// Open MPI's ring, in which the first blocks have an element more than the others if the vector cannot be divided
// evenly.
Schedule allreduce_openmpi_ring(Runner& run, Arguments args) {
  if (args.reduction.commutative && args.receive_count >= run.size && run.size > 1) {
    return go_round_in_phases(run, args, 1);
  }
  note_fallback("allreduce", "openmpi_ring", "openmpi_rdb",
                "the operation is not commutative, or there are fewer elements than ranks");
  return allreduce_openmpi_recursive_doubling(run, args);
}

}  // namespace pysmpi
