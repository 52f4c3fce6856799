// Rabenseifner's reductions: a reduce-scatter leaves each rank with a part of the result, and the parts are gathered at
// the root.
#include <algorithm>

#include "collectives/halving.hpp"
#include "collectives/reduce/reduce.hpp"

namespace pysmpi {

namespace {

enum class Climb : std::uint8_t {
  kUntilSent,    // a rank that has sent its parts is done
  kToTheBottom,  // all ranks continue to the last level and also send parts that the root's tree does not need
};

// Gathers the parts at the root. If the other rank represents the root's pair, the root has no part of the result yet.
// Participant 0 then sends its part to the root, which gathers in its place.
Schedule gather_to_root(Runner& run, Arguments args, PowerOfTwo among, Halves halves, char* result, Climb climb) {
  const std::int64_t extent = args.receive_extent();
  const bool replaces = among.number_of(args.root) < 0;
  const int root = replaces ? 0 : among.number_of(args.root);
  int number = among.number();
  if (replaces && number == 0) {
    co_await run.send_now(args.root, result, halves.own(among.levels).length(), args.receive_type);
    co_return;
  }
  if (replaces && run.rank == args.root) {
    number = 0;
    co_await run.receive_now(0, result, halves.own(among.levels).length(), args.receive_type);
  }
  for (int level = among.levels; number >= 0 && level > 0; --level) {
    const int bit = 1 << (level - 1), other = number ^ bit;
    const int partner = other == root ? args.root : among.rank_of(other);
    if ((number ^ root) & bit) {
      const Range mine = halves.own(level);
      co_await run.send_now(partner, result + mine.begin * extent, mine.length(), args.receive_type);
      if (climb == Climb::kUntilSent) co_return;
    } else {
      const Range theirs = halves.partners(level);
      co_await run.receive_now(partner, result + theirs.begin * extent, theirs.length(), args.receive_type);
    }
  }
}

// MPICH's algorithm: the representative of a pair first receives the other rank's whole vector. Messages have the size
// of `elements` elements, which may exceed args.receive_count, the length of the program's buffers.
Schedule scatter_gather(Runner& run, Arguments args, std::int64_t elements, Cut cut) {
  const bool direct = run.rank == args.root && elements == args.receive_count;
  const Scratch own(direct ? 0 : elements, args.receive_type, args.send, Scratch::FilledBy::kCore),
      other(elements, args.receive_type, args.send, Scratch::FilledBy::kCardByHalf);
  char* const result = direct ? static_cast<char*>(args.receive) : own.data();
  local_copy(args.send, args.receive_count, args.receive_type, result, args.receive_count, args.receive_type);
  const PowerOfTwo among(Line(run), 0);
  const int number = among.number();
  if (number < 0) {
    co_await run.send_now(run.rank - 1, result, elements, args.receive_type);
  } else if (among.in_pair()) {
    co_await run.receive_now(run.rank + 1, other.data(), elements, args.receive_type);
    co_await run.reduce(args.reduction, args.receive_type, other.data(), result, args.receive_count);
  }
  const Halves halves(elements, among, std::max(number, 0), cut);
  if (number >= 0) co_await reduce_halves(run, args, among, halves, result, other.data());
  co_await gather_to_root(run, args, among, halves, result, Climb::kUntilSent);
  if (run.rank == args.root && !direct) {
    local_copy(result, args.receive_count, args.receive_type, args.receive, args.receive_count, args.receive_type);
  }
}

// Rabenseifner's algorithm in which both ranks of a pair share the work of reducing their vectors.
Schedule halved(Runner& run, Arguments args, Climb climb) {
  if (args.receive_count == 0) co_return;
  const bool at_root = run.rank == args.root;
  const Scratch own(at_root ? 0 : args.receive_count, args.receive_type, args.send, Scratch::FilledBy::kCore);
  const Scratch other(args.receive_count, args.receive_type, args.send, Scratch::FilledBy::kCardByHalf);
  char* const result = at_root ? static_cast<char*>(args.receive) : own.data();
  local_copy(args.send, args.receive_count, args.receive_type, result, args.receive_count, args.receive_type);
  const PowerOfTwo among(Line(run), 0);
  const int number = among.number();
  const Halves halves(args.receive_count, among, std::max(number, 0), Cut::kHalves);
  co_await reduce_in_pairs(run, args, among, result, other.data());
  if (number >= 0) co_await reduce_halves(run, args, among, halves, result, other.data());
  co_await gather_to_root(run, args, among, halves, result, climb);
}

}  // namespace

// SMPI's version: with fewer elements than ranks, messages have the size of one element per rank.
Schedule reduce_scatter_gather(Runner& run, Arguments args) {
  if (!args.reduction.commutative) return reduce_binomial_instead_of("scatter_gather", run, args);
  if (args.receive_count == 0) return reduce_binomial(run, args);  // sends nothing
  return scatter_gather(run, args, std::max<std::int64_t>(args.receive_count, run.size), Cut::kParts);
}

namespace {

Schedule scatter_gather_of_mpich(Runner& run, Arguments args, Cut cut) {
  if (!args.reduction.commutative) return reduce_binomial_instead_of("mpich_scatter_gather", run, args);
  if (!too_short(run, args)) return scatter_gather(run, args, args.receive_count, cut);
  note_fallback("reduce", "mpich_scatter_gather", "binomial", "there are fewer elements than ranks");
  return reduce_binomial(run, args);
}

}  // namespace

Schedule reduce_mpich_scatter_gather(Runner& run, Arguments args) {
  return scatter_gather_of_mpich(run, args, Cut::kEvenParts);
}

Schedule reduce_nonblocking_scatter_gather(Runner& run, Arguments args) {
  return scatter_gather_of_mpich(run, args, Cut::kParts);
}

Schedule reduce_openmpi_rabenseifner(Runner& run, Arguments args) {
  if (args.reduction.commutative && !too_short(run, args)) return halved(run, args, Climb::kUntilSent);
  note_fallback("reduce", "openmpi_rabenseifner", "ompi_basic_linear",
                "the operation is not commutative, or there are fewer elements than ranks");
  return reduce_in_order(run, args);
}

Schedule reduce_rabenseifner_1997(Runner& run, Arguments args) {
  if (!args.reduction.commutative) return reduce_binomial_instead_of("rab", run, args);
  return halved(run, args, Climb::kToTheBottom);
}

}  // namespace pysmpi
