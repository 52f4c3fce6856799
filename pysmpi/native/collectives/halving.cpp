// Recursive halving and doubling of a vector, in place.
#include "collectives/halving.hpp"

#include <algorithm>

namespace pysmpi {

Halves::Halves(std::int64_t count, const PowerOfTwo& among, int number, Cut cut) {
  const std::int64_t part = count / among.power, longer = cut == Cut::kEvenParts ? count % among.power : 0;
  const auto begin_of = [part, longer](int i) { return i * part + std::min<std::int64_t>(i, longer); };
  int first = 0;  // of the parts in the range
  ranges_[0] = {0, count};
  for (int level = 1; level <= among.levels; ++level) {
    const Range whole = ranges_[level - 1];
    const int half = among.power >> level;
    const std::int64_t middle = cut == Cut::kHalves ? whole.begin + whole.length() / 2 : begin_of(first + half);
    const bool upper = number & (1 << (level - 1));
    if (upper) first += half;
    ranges_[level] = upper ? Range{middle, whole.end} : Range{whole.begin, middle};
  }
}

Schedule reduce_halves(Runner& run, Arguments args, PowerOfTwo among, Halves halves, char* result, char* other) {
  const std::int64_t extent = args.receive_extent();
  const int number = among.number();
  for (int level = 1; level <= among.levels; ++level) {
    const int partner = among.rank_of(number ^ (1 << (level - 1)));
    const Range mine = halves.own(level), theirs = halves.partners(level);
    char* const in = other + mine.begin * extent;
    co_await run.exchange(partner, result + theirs.begin * extent, theirs.length(), args.receive_type, partner, in,
                          mine.length(), args.receive_type);
    const std::int64_t count = std::min(mine.end, args.receive_count) - mine.begin;
    if (count > 0) co_await run.reduce(args.reduction, args.receive_type, in, result + mine.begin * extent, count);
  }
}

Schedule gather_halves(Runner& run, Arguments args, PowerOfTwo among, Halves halves, char* result) {
  const std::int64_t extent = args.receive_extent();
  const int number = among.number();
  for (int level = among.levels; level > 0; --level) {
    const int partner = among.rank_of(number ^ (1 << (level - 1)));
    const Range mine = halves.own(level), theirs = halves.partners(level);
    co_await run.exchange(partner, result + mine.begin * extent, mine.length(), args.receive_type, partner,
                          result + theirs.begin * extent, theirs.length(), args.receive_type);
  }
}

Schedule reduce_in_pairs(Runner& run, Arguments args, PowerOfTwo among, char* result, char* other) {
  if (!among.in_pair()) co_return;
  const std::int64_t half = args.receive_count / 2, rest = args.receive_count - half, extent = args.receive_extent();
  const bool stands = among.number() >= 0;
  const int partner = among.neighbour();
  char *const second = result + half * extent, *const other_second = other + half * extent;
  if (stands) {
    co_await run.exchange(partner, second, rest, args.receive_type, partner, other, half, args.receive_type);
    co_await run.reduce(args.reduction, args.receive_type, other, result, half);
    co_await run.receive_now(partner, second, rest, args.receive_type);
  } else {
    co_await run.exchange(partner, result, half, args.receive_type, partner, other_second, rest, args.receive_type);
    co_await run.reduce(args.reduction, args.receive_type, other_second, second, rest);
    co_await run.send_now(partner, second, rest, args.receive_type);
  }
}

}  // namespace pysmpi
