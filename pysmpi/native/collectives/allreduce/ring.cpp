// Allreduce algorithms on a ring of ranks.
#include <algorithm>

#include "collectives/allreduce/allreduce.hpp"

namespace pysmpi {

namespace {

// Division of `count` elements into `parts` nearly equal parts, the larger ones first.
struct Parts {
  std::int64_t count;
  int parts;
  std::int64_t begin(int i) const { return i * (count / parts) + std::min<std::int64_t>(i, count % parts); }
  std::int64_t length(int i) const { return count / parts + (i < count % parts); }
};

}  // namespace

// Ring (Patarasuk, Yuan 2009), 2 (P - 1) rounds: reduce-scatter and allgather round a ring, then an allreduce of the
// remaining elements. With fewer elements than ranks it reduces and broadcasts instead.
Schedule allreduce_ring(Runner& run, Arguments a) {
  if (!a.reduction.commutative) {
    note_fallback("allreduce", "lr", "rdb", "the operation is not commutative");
    co_await allreduce_recursive_doubling(run, a);
    co_return;
  }
  const int rank = run.rank, size = run.size;
  if (a.receive_count < size) {
    co_await allreduce_reduce_bcast(run, a);
    co_return;
  }
  const std::int64_t part = a.receive_count / size, remainder = a.receive_count % size;
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  const auto original = [&a, part](int i) { return static_cast<const char*>(a.send) + i * part * a.receive_extent(); };
  const auto result = [&a, part](int i) { return a.receive_at(i * part); };
  copy(original(left), part, a.receive_type, result(left), part, a.receive_type);
  for (int step = 0; step < size - 1; ++step) {
    const int out = (rank - 1 - step + size) % size, in = (rank - 2 - step + 2 * size) % size;
    co_await run.exchange(right, result(out), part, a.receive_type, left, result(in), part, a.receive_type);
    co_await run.reduce(a.reduction, a.receive_type, original(in), result(in), part);
  }
  for (int step = 0; step < size - 1; ++step) {
    const int out = (rank - step + size) % size, in = (rank - 1 - step + size) % size;
    co_await run.exchange(right, result(out), part, a.receive_type, left, result(in), part, a.receive_type);
  }
  if (remainder > 0) {
    a.send = original(size);
    a.receive = result(size);
    a.receive_count = remainder;
    co_await collective(Operation::kAllreduce, run, a);
  }
}

// The ring with blocks of at most 1 MiB, phase by phase. Smaller vectors use the plain ring.
Schedule allreduce_segmented_ring(Runner& run, Arguments a) {
  if (!a.reduction.commutative) {
    note_fallback("allreduce", "ompi_ring_segmented", "rdb", "the operation is not commutative");
    co_await allreduce_recursive_doubling(run, a);
    co_return;
  }
  constexpr std::int64_t kSegment = 1 << 20;
  const int rank = run.rank, size = run.size;
  const std::int64_t item = find_datatype(a.receive_type)->size;
  std::int64_t segment = a.receive_count;
  if (kSegment >= item && kSegment < a.receive_bytes()) segment = kSegment / item + (kSegment % item > item / 2);
  if (size == 1 || segment == 0 || a.receive_count < size * segment) {
    co_await allreduce_ring(run, a);
    co_return;
  }
  const std::int64_t left_over = a.receive_count % (size * segment);
  const int phases =
      static_cast<int>(a.receive_count / (size * segment)) + (left_over >= size && left_over > size * segment / 2);
  const Parts blocks{a.receive_count, size};
  const std::int64_t longest = Parts{blocks.length(0), phases}.length(0);
  const Scratch in[2] = {{longest, a.receive_type, a.receive}, {longest, a.receive_type, a.receive}};
  copy(a.send, a.receive_count, a.receive_type, a.receive, a.receive_count, a.receive_type);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int phase = 0; phase < phases; ++phase) {
    int which = 0;
    RequestId arriving = run.start_receive(left, in[which].data(), longest, a.receive_type);
    for (int step = 0; step < size; ++step) {
      const int block = (rank + size - step) % size;
      const Parts segments{blocks.length(block), phases};
      char* mine = a.receive_at(blocks.begin(block) + segments.begin(phase));
      if (step > 0) {
        const int arrived = which;
        const RequestId previous = arriving;
        if (step < size - 1) {
          which ^= 1;
          arriving = run.start_receive(left, in[which].data(), longest, a.receive_type);
        }
        co_await run.finish(previous);
        co_await run.reduce(a.reduction, a.receive_type, in[arrived].data(), mine, segments.length(phase));
      }
      if (step < size - 1) co_await run.send_now(right, mine, segments.length(phase), a.receive_type);
    }
  }
  for (int step = 0; step < size - 1; ++step) {
    const int out = (rank + 1 + size - step) % size, in_block = (rank + size - step) % size;
    co_await run.exchange(right, a.receive_at(blocks.begin(out)), blocks.length(out), a.receive_type, left,
                          a.receive_at(blocks.begin(in_block)), blocks.length(0), a.receive_type);
  }
}

}  // namespace pysmpi
