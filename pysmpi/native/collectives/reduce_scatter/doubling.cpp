// Reduce-scatter by recursive doubling of partial results.
#include <algorithm>

#include "collectives/reduce_scatter/offsets.hpp"
#include "collectives/reduce_scatter/reduce_scatter.hpp"
#include "collectives/trees.hpp"

namespace pysmpi {

namespace {

// All blocks except those of ranks `from` to `to` - 1: the data that one step of recursive doubling sends or receives,
// packed into one message.
struct AllBut {
  std::int64_t first_end, second_begin, end;  // elements [0, first_end) and [second_begin, end)
  AllBut(const Offsets& begin, int size, int from, int to)
      : first_end(begin[std::min(from, size)]), second_begin(begin[std::min(to, size)]), end(begin[size]) {}
  std::int64_t count() const { return first_end + end - second_begin; }
  void pack(const char* whole, std::int32_t type, char* packed) const {
    const std::int64_t extent = find_datatype(type)->extent;
    local_copy(whole, first_end, type, packed, first_end, type);
    local_copy(whole + second_begin * extent, end - second_begin, type, packed + first_end * extent, end - second_begin,
               type);
  }
  void unpack(const char* packed, std::int32_t type, char* whole) const {
    const std::int64_t extent = find_datatype(type)->extent;
    local_copy(packed, first_end, type, whole, first_end, type);
    local_copy(packed + first_end * extent, end - second_begin, type, whole + second_begin * extent, end - second_begin,
               type);
  }
};

}  // namespace

// Recursive doubling for any operation and any counts (MPICH). In each step a rank receives the partial results of its
// partner's subtree for all blocks outside that subtree. If the number of ranks is not a power of two, some ranks have
// no partner. They get the same partial results from those ranks of their own subtree that have a partner.
Schedule reduce_scatter_recursive_doubling(Runner& run, Arguments args) {
  const int rank = run.rank, size = run.size;
  const Offsets begin(args, size);
  const std::int64_t total = begin[size], extent = args.receive_extent();
  Scratch results(total, args.receive_type, folded_or_received(args), Scratch::FilledBy::kCore),
      other(total, args.receive_type, folded_or_received(args));
  const Scratch out(total, args.receive_type, folded_or_received(args)),
      in(total, args.receive_type, folded_or_received(args));
  local_copy(args.send, total, args.receive_type, results.data(), total, args.receive_type);
  for (int distance = 1; distance < size; distance *= 2) {
    const int partner = rank ^ distance;
    const int mine = rank & ~(distance - 1), theirs = partner & ~(distance - 1);
    const AllBut sent(begin, size, mine, mine + distance), received(begin, size, theirs, theirs + distance);
    const int complete = theirs + distance > size ? size - mine - distance : 0;  // ranks of this subtree with a partner
    if (partner < size) {
      sent.pack(results.data(), args.receive_type, out.data());
      co_await run.exchange(partner, out.data(), sent.count(), args.receive_type, partner, in.data(), received.count(),
                            args.receive_type);
    } else if (complete <= 0) {
      continue;
    }
    if (complete > 0) {
      co_await spread_in_subtree(run, distance, complete, in.data(), received.count(), args.receive_type);
    }
    received.unpack(in.data(), args.receive_type, other.data());
    const std::int64_t first = received.first_end, second = received.second_begin, rest = total - second;
    if (theirs < mine || args.reduction.commutative) {
      co_await run.reduce(args.reduction, args.receive_type, other.data(), results.data(), first);
      co_await run.reduce(args.reduction, args.receive_type, other.data() + second * extent,
                          results.data() + second * extent, rest);
    } else {
      co_await run.reduce(args.reduction, args.receive_type, results.data(), other.data(), first);
      co_await run.reduce(args.reduction, args.receive_type, results.data() + second * extent,
                          other.data() + second * extent, rest);
      received.pack(other.data(), args.receive_type, in.data());
      received.unpack(in.data(), args.receive_type, results.data());
    }
  }
  const std::int64_t count = args.receive_count_of(rank);
  local_copy(results.data() + begin[rank] * extent, count, args.receive_type, args.receive, count, args.receive_type);
}

}  // namespace pysmpi
