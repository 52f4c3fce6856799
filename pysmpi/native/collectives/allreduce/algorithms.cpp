// Reductions to all ranks.
#include <algorithm>

#include "collectives/allreduce/allreduce.hpp"

namespace pysmpi {

namespace {

// The ranks that take part when only a power of two can: of the first 2·extra ranks, the odd ones stand for their lower
// neighbours, who wait for the result.
struct PowerOfTwo {
  int power = 1, extra = 0;
  explicit PowerOfTwo(int size) {
    while (2 * power <= size) power *= 2;
    extra = size - power;
  }
  int number_of(int rank) const { return rank < 2 * extra ? (rank % 2 == 0 ? -1 : rank / 2) : rank - extra; }
  int rank_of(int number) const { return number < extra ? 2 * number + 1 : number + extra; }
};

Schedule fold_in(Runner& run, Arguments a, PowerOfTwo among, char* other) {
  if (run.rank >= 2 * among.extra) co_return;
  if (run.rank % 2 == 0) {
    co_await run.send_now(run.rank + 1, a.receive, a.receive_count, a.receive_type);
  } else {
    co_await run.receive_now(run.rank - 1, other, a.receive_count, a.receive_type);
    co_await run.reduce(a.reduction, a.receive_type, other, a.receive, a.receive_count);
  }
}

Schedule fold_out(Runner& run, Arguments a, PowerOfTwo among) {
  if (run.rank >= 2 * among.extra) co_return;
  if (run.rank % 2 == 0) {
    co_await run.receive_now(run.rank + 1, a.receive, a.receive_count, a.receive_type);
  } else {
    co_await run.send_now(run.rank - 1, a.receive, a.receive_count, a.receive_type);
  }
}

// `count` elements in `parts` nearly equal parts, the larger ones first.
struct Parts {
  std::int64_t count;
  int parts;
  std::int64_t begin(int i) const { return i * (count / parts) + std::min<std::int64_t>(i, count % parts); }
  std::int64_t length(int i) const { return count / parts + (i < count % parts); }
};

}  // namespace

Schedule allreduce_reduce_bcast(Runner& run, Arguments a) {
  a.root = 0;
  co_await collective(Operation::kReduce, run, a);
  co_await collective(Operation::kBcast, run, a);
}

Schedule allreduce_recursive_doubling(Runner& run, Arguments a) {
  const PowerOfTwo among(run.size);
  const Scratch other(a.receive_count, a.receive_type, a.receive);
  copy(a.send, a.receive_count, a.receive_type, a.receive, a.receive_count, a.receive_type);
  co_await fold_in(run, a, among, other.data());
  const int number = among.number_of(run.rank);
  for (int distance = 1; number >= 0 && distance < among.power; distance *= 2) {
    const int partner = among.rank_of(number ^ distance);
    co_await run.exchange(partner, a.receive, a.receive_count, a.receive_type, partner, other.data(), a.receive_count,
                          a.receive_type);
    if (partner < run.rank || a.reduction.commutative) {
      co_await run.reduce(a.reduction, a.receive_type, other.data(), a.receive, a.receive_count);
    } else {
      co_await run.reduce(a.reduction, a.receive_type, a.receive, other.data(), a.receive_count);
      copy(other.data(), a.receive_count, a.receive_type, a.receive, a.receive_count, a.receive_type);
    }
  }
  co_await fold_out(run, a, among);
}

// Patarasuk, Yuan 2009: reduce-scatter and allgather round a ring, then what the ranks do not divide. Fewer elements
// than ranks: reduce and broadcast.
Schedule allreduce_ring(Runner& run, Arguments a) {
  if (!a.reduction.commutative) {
    note_fallback("allreduce", "lr", "rdb", "the operation does not commute");
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

// The ring with blocks of at most a mebibyte, phase by phase. Smaller vectors: the plain ring.
Schedule allreduce_segmented_ring(Runner& run, Arguments a) {
  if (!a.reduction.commutative) {
    note_fallback("allreduce", "ompi_ring_segmented", "rdb", "the operation does not commute");
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

// Rabenseifner 2004: reduce-scatter by recursive halving, allgather by recursive doubling.
Schedule allreduce_rabenseifner(Runner& run, Arguments a) {
  if (!a.reduction.commutative) {
    note_fallback("allreduce", "rab_rdb", "rdb", "the operation does not commute");
    co_await allreduce_recursive_doubling(run, a);
    co_return;
  }
  const PowerOfTwo among(run.size);
  const Scratch other(a.receive_count, a.receive_type, a.receive);
  const std::int64_t extent = a.receive_extent(), part = a.receive_count / among.power;
  const auto begin = [&a, &among, part](int i) { return i < among.power ? i * part : a.receive_count; };
  copy(a.send, a.receive_count, a.receive_type, a.receive, a.receive_count, a.receive_type);
  co_await fold_in(run, a, among, other.data());
  const int number = among.number_of(run.rank);
  if (number >= 0) {
    int low = 0, high = among.power;  // the parts that this rank still reduces
    for (int distance = 1; distance < among.power; distance *= 2) {
      const int partner = among.rank_of(number ^ distance), middle = (low + high) / 2;
      const bool keeps_lower = !(number & distance);
      const int out = keeps_lower ? middle : low, out_end = keeps_lower ? high : middle;
      const int in = keeps_lower ? low : middle, in_end = keeps_lower ? middle : high;
      const std::int64_t length = begin(in_end) - begin(in);
      co_await run.exchange(partner, a.receive_at(begin(out)), begin(out_end) - begin(out), a.receive_type, partner,
                            other.data() + begin(in) * extent, length, a.receive_type);
      co_await run.reduce(a.reduction, a.receive_type, other.data() + begin(in) * extent, a.receive_at(begin(in)),
                          length);
      low = in;
      high = in_end;
    }
    for (int distance = among.power / 2; distance > 0; distance /= 2) {
      const int partner = among.rank_of(number ^ distance), width = high - low;
      const int in = !(number & distance) ? high : low - width;
      co_await run.exchange(partner, a.receive_at(begin(low)), begin(high) - begin(low), a.receive_type, partner,
                            a.receive_at(begin(in)), begin(in + width) - begin(in), a.receive_type);
      low = std::min(low, in);
      high = low + 2 * width;
    }
  }
  co_await fold_out(run, a, among);
}

}  // namespace pysmpi
