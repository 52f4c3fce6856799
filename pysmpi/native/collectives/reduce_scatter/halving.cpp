// Reduce-scatter by recursive halving of the vector, for any counts.
#include <utility>

#include "collectives/halving.hpp"
#include "collectives/reduce_scatter/offsets.hpp"
#include "collectives/reduce_scatter/reduce_scatter.hpp"

namespace pysmpi {

namespace {

int mirrored(int number, int bits) {
  int result = 0;
  for (int bit = 0; bit < bits; ++bit) result |= ((number >> bit) & 1) << (bits - 1 - bit);
  return result;
}

// Offsets of blocks by participant: of the first block of the participant's pair, or of its own block if it is not in a
// pair. The entry after the last participant is the end of the vector.
class NumberedOffsets {
 public:
  NumberedOffsets(const Arguments& args, const PowerOfTwo& among)
      : offsets_(args, among.line.size), extra_(among.extra) {}
  std::int64_t operator[](int number) const { return offsets_[number < extra_ ? 2 * number : number + extra_]; }
  std::int64_t of_rank(int rank) const { return offsets_[rank]; }

 private:
  const Offsets offsets_;
  const int extra_;
};

// The odd rank of each pair receives the even rank's vector and continues with the sum. Participants' numbers keep the
// order of ranks.
Schedule join_pairs(Runner& run, const Arguments& args, const PowerOfTwo& among, char* result, char* other,
                    std::int64_t total) {
  if (!among.in_pair()) co_return;
  if (among.number() < 0) {
    co_await run.send_now(among.neighbour(), result, total, args.receive_type);
  } else {
    co_await run.receive_now(among.neighbour(), other, total, args.receive_type);
    co_await run.reduce(args.reduction, args.receive_type, other, result, total);
  }
}

enum class Calls : std::uint8_t { kReceiveAndSend, kSendrecv };

// Recursive halving with the farthest partner first, so that each rank always keeps consecutive blocks. The operation
// must commute.
Schedule halve(Runner& run, Arguments args, Calls calls) {
  const PowerOfTwo among(Line(run), 1);
  const NumberedOffsets begin(args, among);
  const int rank = run.rank, number = among.number();
  const std::int64_t total = begin[among.power], extent = args.receive_extent();
  if (total == 0) co_return;
  const Scratch own(total, args.receive_type, folded_or_received(args), Scratch::FilledBy::kCore),
      room(total, args.receive_type, folded_or_received(args), Scratch::FilledBy::kCardByHalf);
  char *const result = own.data(), *const other = room.data();
  local_copy(args.send, total, args.receive_type, result, total, args.receive_type);
  co_await join_pairs(run, args, among, result, other, total);
  for (int first = 0, half = among.power / 2; number >= 0 && half > 0; half /= 2) {
    const int middle = first + half, partner = among.rank_of(number ^ half);
    const bool upper = number & half;
    const std::int64_t low = begin[first], cut = begin[middle], high = begin[middle + half];
    const std::int64_t keep = upper ? cut : low, keep_count = upper ? high - cut : cut - low;
    const std::int64_t give = upper ? low : cut, give_count = upper ? cut - low : high - cut;
    char* const in = other + keep * extent;
    if (calls == Calls::kSendrecv) {
      if (give_count > 0) run.send(partner, result + give * extent, give_count, args.receive_type);
      if (keep_count > 0) run.receive(partner, in, keep_count, args.receive_type);
      co_await run.round();
    } else {
      const RequestId coming = keep_count > 0 ? run.start_receive(partner, in, keep_count, args.receive_type) : kNone;
      if (give_count > 0) co_await run.send_now(partner, result + give * extent, give_count, args.receive_type);
      if (keep_count > 0) co_await run.finish(coming);
    }
    co_await run.reduce(args.reduction, args.receive_type, in, result + keep * extent, keep_count);
    if (upper) first = middle;
  }
  const std::int64_t mine = args.receive_count_of(rank);
  if (number >= 0) {
    local_copy(result + begin.of_rank(rank) * extent, mine, args.receive_type, args.receive, mine, args.receive_type);
  }
  if (!among.in_pair()) co_return;
  if (number < 0) {
    if (mine > 0) co_await run.receive_now(among.neighbour(), args.receive, mine, args.receive_type);
  } else if (const std::int64_t theirs = args.receive_count_of(among.neighbour()); theirs > 0) {
    co_await run.send_now(among.neighbour(), result + begin.of_rank(among.neighbour()) * extent, theirs,
                          args.receive_type);
  }
}

}  // namespace

Schedule reduce_scatter_openmpi_halving(Runner& run, Arguments args) {
  if (args.reduction.commutative) return halve(run, args, Calls::kReceiveAndSend);
  note_fallback("reduce_scatter", "ompi_basic_recursivehalving", "ompi_nonoverlapping",
                "the operation is not commutative");
  return reduce_scatter_nonoverlapping(run, args);
}

Schedule reduce_scatter_mpich_halving(Runner& run, Arguments args) {
  if (args.reduction.commutative) return halve(run, args, Calls::kSendrecv);
  note_fallback("reduce_scatter", "mpich_recursive_halving", "mpich_rdb", "the operation is not commutative");
  return reduce_scatter_recursive_doubling(run, args);
}

// Butterfly (Traeff 2005, "An improved algorithm for (non-commutative) reduce-scatter with an application"). The
// nearest partner comes first, which keeps the order of operands. Afterwards rank v holds the block of the rank whose
// number is v with its bits mirrored, and these two ranks exchange their blocks. Example on 4 ranks: rank 1 (01) holds
// the block of rank 2 (10).
Schedule reduce_scatter_butterfly(Runner& run, Arguments args) {
  const PowerOfTwo among(Line(run), 1);
  const NumberedOffsets begin(args, among);
  const int rank = run.rank, number = among.number();
  const std::int64_t total = begin[among.power], extent = args.receive_extent(), mine = args.receive_count_of(rank);
  Scratch own(total, args.receive_type, folded_or_received(args), Scratch::FilledBy::kCore),
      other(total, args.receive_type, folded_or_received(args));
  local_copy(args.send, total, args.receive_type, own.data(), total, args.receive_type);
  co_await join_pairs(run, args, among, own.data(), other.data(), total);
  if (number < 0) {
    const int holder = among.rank_of(mirrored(rank / 2, among.levels));
    co_await run.receive_now(holder, args.receive, mine, args.receive_type);
    co_return;
  }
  int first = 0;
  for (int bit = 1; bit < among.power; bit *= 2) {
    const int partner = among.rank_of(number ^ bit), blocks = among.power / (2 * bit);
    const bool upper = number & bit;
    const int keep = upper ? first + blocks : first, give = upper ? first : first + blocks;
    const std::int64_t kept = begin[keep] * extent, count = begin[keep + blocks] - begin[keep];
    co_await run.exchange(partner, own.data() + begin[give] * extent, begin[give + blocks] - begin[give],
                          args.receive_type, partner, other.data() + kept, count, args.receive_type);
    if (upper) {
      co_await run.reduce(args.reduction, args.receive_type, other.data() + kept, own.data() + kept, count);
    } else {
      co_await run.reduce(args.reduction, args.receive_type, own.data() + kept, other.data() + kept, count);
      std::swap(own, other);
    }
    first = keep;
  }
  const int opposite = mirrored(number, among.levels), owner = among.rank_of(opposite);
  const char* const block = own.data() + begin.of_rank(owner) * extent;
  if (opposite < among.extra) {
    const char* const before = own.data() + begin.of_rank(owner - 1) * extent;
    co_await run.send_now(owner - 1, before, args.receive_count_of(owner - 1), args.receive_type);
  }
  if (opposite == number) {
    local_copy(block, mine, args.receive_type, args.receive, mine, args.receive_type);
  } else {
    co_await run.exchange(owner, block, args.receive_count_of(owner), args.receive_type, owner, args.receive, mine,
                          args.receive_type);
  }
}

// Recursive halving over blocks in bit-reversed order, which keeps the order of operands (Bernaschi, Iannello, Lauria
// 2003). It needs a power-of-two number of ranks and equal counts.
Schedule reduce_scatter_halving_in_order(Runner& run, Arguments args) {
  if ((run.size & (run.size - 1)) || !args.has_equal_receive_counts()) {
    note_fallback("reduce_scatter", "mpich_noncomm", "mpich_rdb",
                  "the number of ranks is not a power of two, or counts differ");
    co_await reduce_scatter_recursive_doubling(run, args);
    co_return;
  }
  const int rank = run.rank, size = run.size;
  const PowerOfTwo among(Line(run), 1);
  const std::int64_t block = args.receive_count_of(0), extent = args.receive_extent();
  Scratch mine(block * size, args.receive_type, folded_or_received(args), Scratch::FilledBy::kCore),
      other(block * size, args.receive_type, folded_or_received(args));
  for (int i = 0; i < size; ++i) {
    local_copy(contribution_at(args, i * block), block, args.receive_type,
               mine.data() + mirrored(i, among.levels) * block * extent, block, args.receive_type);
  }
  std::int64_t begin = 0, length = block * size;
  for (int distance = 1; distance < size; distance *= 2) {
    const int partner = rank ^ distance;
    length /= 2;
    const std::int64_t keep = rank > partner ? begin + length : begin, give = rank > partner ? begin : begin + length;
    co_await run.exchange(partner, mine.data() + give * extent, length, args.receive_type, partner,
                          other.data() + keep * extent, length, args.receive_type);
    if (rank > partner) {
      co_await run.reduce(args.reduction, args.receive_type, other.data() + keep * extent, mine.data() + keep * extent,
                          length);
    } else {
      co_await run.reduce(args.reduction, args.receive_type, mine.data() + keep * extent, other.data() + keep * extent,
                          length);
      std::swap(mine, other);
    }
    begin = keep;
  }
  local_copy(mine.data() + begin * extent, block, args.receive_type, args.receive, block, args.receive_type);
}

}  // namespace pysmpi
