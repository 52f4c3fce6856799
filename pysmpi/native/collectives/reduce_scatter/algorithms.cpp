// Reductions whose result is spread over the ranks. MPI_Reduce_scatter_block comes here with its counts written out.
#include <numeric>
#include <vector>

#include "collectives/reduce_scatter/reduce_scatter.hpp"
#include "collectives/scatter/scatter.hpp"
#include "collectives/trees.hpp"

namespace pysmpi {

namespace {

std::vector<std::int64_t> displacements_of(const Arguments& a, int size) {
  std::vector<std::int64_t> begins(size + 1, 0);
  for (int i = 0; i < size; ++i) begins[i + 1] = begins[i] + a.receive_count_of(i);
  return begins;
}

const char* contribution_at(const Arguments& a, std::int64_t element) {
  return static_cast<const char*>(a.send) + element * a.receive_extent();
}

}  // namespace

// Equal counts: reduce to rank 0, then scatter.
Schedule reduce_scatter_reduce_scatter(Runner& run, Arguments a) {
  const std::int64_t mine = a.receive_count_of(run.rank);
  const Scratch whole(run.rank == 0 ? mine * run.size : 0, a.receive_type, a.receive);
  Arguments reduce = a;
  reduce.root = 0;
  reduce.receive = whole.data();
  reduce.receive_count = mine * run.size;
  co_await collective(Operation::kReduce, run, reduce);
  Arguments scatter;
  scatter.send = whole.data();
  scatter.send_count = mine;
  scatter.send_type = a.receive_type;
  scatter.receive = a.receive;
  scatter.receive_count = mine;
  scatter.receive_type = a.receive_type;
  co_await scatter_linear(run, scatter);
}

// Each rank reduces its own block, from one other rank a step. Commutative operations.
Schedule reduce_scatter_pairwise(Runner& run, Arguments a) {
  if (!a.reduction.commutative) {
    note_fallback("reduce_scatter", "mpich_pair", "mpich_rdb", "the operation does not commute");
    co_await reduce_scatter_recursive_doubling(run, a);
    co_return;
  }
  const int rank = run.rank, size = run.size;
  const std::vector<std::int64_t> begin = displacements_of(a, size);
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

// Recursive halving over the mirrored numbering of the blocks, which keeps the order of operands (Bernaschi, Iannello,
// Lauria 2003). A power of two of ranks, equal counts.
Schedule reduce_scatter_halving_in_order(Runner& run, Arguments a) {
  if ((run.size & (run.size - 1)) || !a.has_equal_receive_counts()) {
    note_fallback("reduce_scatter", "mpich_noncomm", "mpich_rdb", "no power of two of ranks with equal counts");
    co_await reduce_scatter_recursive_doubling(run, a);
    co_return;
  }
  const int rank = run.rank, size = run.size;
  int bits = 0;
  while ((1 << bits) < size) ++bits;
  const std::int64_t block = a.receive_count_of(0), extent = a.receive_extent();
  Scratch mine(block * size, a.receive_type, a.receive), other(block * size, a.receive_type, a.receive);
  for (int i = 0; i < size; ++i) {
    int mirrored = 0;
    for (int bit = 0; bit < bits; ++bit) mirrored |= ((i >> bit) & 1) << (bits - 1 - bit);
    copy(contribution_at(a, i * block), block, a.receive_type, mine.data() + mirrored * block * extent, block,
         a.receive_type);
  }
  std::int64_t begin = 0, length = block * size;
  for (int distance = 1; distance < size; distance *= 2) {
    const int partner = rank ^ distance;
    length /= 2;
    const std::int64_t keep = rank > partner ? begin + length : begin, give = rank > partner ? begin : begin + length;
    co_await run.exchange(partner, mine.data() + give * extent, length, a.receive_type, partner,
                          other.data() + keep * extent, length, a.receive_type);
    if (rank > partner) {
      co_await run.reduce(a.reduction, a.receive_type, other.data() + keep * extent, mine.data() + keep * extent,
                          length);
    } else {
      co_await run.reduce(a.reduction, a.receive_type, mine.data() + keep * extent, other.data() + keep * extent,
                          length);
      std::swap(mine, other);
    }
    begin = keep;
  }
  copy(mine.data() + begin * extent, block, a.receive_type, a.receive, block, a.receive_type);
}

namespace {

// All blocks but those of a run of ranks: what a step of recursive doubling sends or receives, packed into one message.
struct AllBut {
  std::int64_t first_end, second_begin, end;  // elements [0, first_end) and [second_begin, end)
  AllBut(const std::vector<std::int64_t>& begin, int from, int to)
      : first_end(begin[std::min<int>(from, begin.size() - 1)]),
        second_begin(begin[std::min<int>(to, begin.size() - 1)]),
        end(begin.back()) {}
  std::int64_t count() const { return first_end + end - second_begin; }
  void pack(const char* whole, std::int32_t type, char* packed) const {
    const std::int64_t extent = find_datatype(type)->extent;
    copy(whole, first_end, type, packed, first_end, type);
    copy(whole + second_begin * extent, end - second_begin, type, packed + first_end * extent, end - second_begin,
         type);
  }
  void unpack(const char* packed, std::int32_t type, char* whole) const {
    const std::int64_t extent = find_datatype(type)->extent;
    copy(packed, first_end, type, whole, first_end, type);
    copy(packed + first_end * extent, end - second_begin, type, whole + second_begin * extent, end - second_begin,
         type);
  }
};

}  // namespace

// Any operation, any counts: at each step a rank needs its partner's subtree's partial results of all blocks that are
// not of that subtree. Without a partner (no power of two) it gets them from ranks of its own subtree that had one.
Schedule reduce_scatter_recursive_doubling(Runner& run, Arguments a) {
  const int rank = run.rank, size = run.size;
  const std::vector<std::int64_t> begin = displacements_of(a, size);
  const std::int64_t total = begin[size], extent = a.receive_extent();
  Scratch results(total, a.receive_type, a.receive), other(total, a.receive_type, a.receive);
  const Scratch out(total, a.receive_type, a.receive), in(total, a.receive_type, a.receive);
  copy(a.send, total, a.receive_type, results.data(), total, a.receive_type);
  for (int distance = 1; distance < size; distance *= 2) {
    const int partner = rank ^ distance;
    const int mine = rank & ~(distance - 1), theirs = partner & ~(distance - 1);
    const AllBut sent(begin, mine, mine + distance), received(begin, theirs, theirs + distance);
    const int complete = theirs + distance > size ? size - mine - distance : 0;  // ranks of this subtree with a partner
    if (partner < size) {
      sent.pack(results.data(), a.receive_type, out.data());
      co_await run.exchange(partner, out.data(), sent.count(), a.receive_type, partner, in.data(), received.count(),
                            a.receive_type);
    } else if (complete <= 0) {
      continue;
    }
    if (complete > 0) {
      co_await spread_in_subtree(run, distance, complete, in.data(), received.count(), a.receive_type);
    }
    received.unpack(in.data(), a.receive_type, other.data());
    const std::int64_t first = received.first_end, second = received.second_begin, rest = total - second;
    if (theirs < mine || a.reduction.commutative) {
      co_await run.reduce(a.reduction, a.receive_type, other.data(), results.data(), first);
      co_await run.reduce(a.reduction, a.receive_type, other.data() + second * extent, results.data() + second * extent,
                          rest);
    } else {
      co_await run.reduce(a.reduction, a.receive_type, results.data(), other.data(), first);
      co_await run.reduce(a.reduction, a.receive_type, results.data() + second * extent, other.data() + second * extent,
                          rest);
      received.pack(other.data(), a.receive_type, in.data());
      received.unpack(in.data(), a.receive_type, results.data());
    }
  }
  const std::int64_t count = a.receive_count_of(rank);
  copy(results.data() + begin[rank] * extent, count, a.receive_type, a.receive, count, a.receive_type);
}

}  // namespace pysmpi
