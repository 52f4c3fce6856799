// Prefix reductions by recursive doubling (MPICH; Open MPI's coll_base_exscan.c). ceil(log2 P) rounds. If the
// operation does not commute, the operands of each sum are in the order of ranks. If it commutes, the received sum is
// the left operand. In each round, groups of ranks join in pairs. The last group may be smaller than the others,
// because no higher rank needs its sum.
#include <utility>

#include "collectives/scan/scan.hpp"

namespace pysmpi {

namespace {

// Partial sums: `held` is the sum over the rank's own group, `received` is the sum over the partner's group.
struct Sums {
  Scratch own, partners;
  char *held, *received;
  explicit Sums(const Arguments& args)
      : own(args.receive_count, args.receive_type, args.receive),
        partners(args.receive_count, args.receive_type, args.receive),
        held(own.data()),
        received(partners.data()) {
    local_copy(args.send, args.receive_count, args.receive_type, held, args.receive_count, args.receive_type);
  }
};

// Recursive doubling with two sums per rank: the sum over the rank's group, which is exchanged in each step, and the
// result in the receive buffer, which combines the sums of lower partners. `begun` is true if the receive buffer
// already has a first operand: the rank's own contribution in a scan. In an exscan, the first operand is the first sum
// from a lower partner.
Schedule scan_by_doubling(Runner& run, Arguments args, bool begun) {
  Sums sums(args);
  for (int distance = 1; distance < run.size; distance *= 2) {
    const int partner = run.rank ^ distance;
    if (partner >= run.size) continue;
    co_await run.exchange(partner, sums.held, args.receive_count, args.receive_type, partner, sums.received,
                          args.receive_count, args.receive_type);
    if (partner > run.rank && !args.reduction.commutative) {
      co_await run.reduce(args.reduction, args.receive_type, sums.held, sums.received, args.receive_count);
      std::swap(sums.held, sums.received);
      continue;
    }
    if (partner < run.rank && begun) {
      co_await run.reduce(args.reduction, args.receive_type, sums.received, args.receive, args.receive_count);
    } else if (partner < run.rank) {
      local_copy(sums.received, args.receive_count, args.receive_type, args.receive, args.receive_count,
                 args.receive_type);
      begun = true;
    }
    co_await run.reduce(args.reduction, args.receive_type, sums.received, sums.held, args.receive_count);
  }
}

}  // namespace

Schedule scan_recursive_doubling(Runner& run, Arguments args) {
  local_copy(args.send, args.receive_count, args.receive_type, args.receive, args.receive_count, args.receive_type);
  return scan_by_doubling(run, args, true);
}

Schedule exscan_recursive_doubling(Runner& run, Arguments args) { return scan_by_doubling(run, args, false); }

}  // namespace pysmpi
