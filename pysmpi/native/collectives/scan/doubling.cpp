// Prefix reductions with partners twice as far away each step, in the order of ranks (MPICH; Open MPI's
// coll_base_exscan.c). The last group of ranks may be incomplete: nobody above depends on it.
#include <utility>

#include "collectives/scan/scan.hpp"

namespace pysmpi {

namespace {

// `held`: what the rank's own group contributes, whose sums with the partner's group go on; `heard`: the partner's.
struct Sums {
  Scratch own, partners;
  char *held, *heard;
  explicit Sums(const Arguments& a)
      : own(a.receive_count, a.receive_type, a.receive),
        partners(a.receive_count, a.receive_type, a.receive),
        held(own.data()),
        heard(partners.data()) {
    copy(a.send, a.receive_count, a.receive_type, held, a.receive_count, a.receive_type);
  }
};

// What comes from a partner below also goes into the result, which begins with the first of them in an exscan.
Schedule scan_by_doubling(Runner& run, Arguments a, bool begun) {
  Sums sums(a);
  for (int distance = 1; distance < run.size; distance *= 2) {
    const int partner = run.rank ^ distance;
    if (partner >= run.size) continue;
    co_await run.exchange(partner, sums.held, a.receive_count, a.receive_type, partner, sums.heard, a.receive_count,
                          a.receive_type);
    if (partner > run.rank) {
      co_await run.reduce(a.reduction, a.receive_type, sums.held, sums.heard, a.receive_count);
      std::swap(sums.held, sums.heard);
      continue;
    }
    if (begun) {
      co_await run.reduce(a.reduction, a.receive_type, sums.heard, a.receive, a.receive_count);
    } else {
      copy(sums.heard, a.receive_count, a.receive_type, a.receive, a.receive_count, a.receive_type);
      begun = true;
    }
    co_await run.reduce(a.reduction, a.receive_type, sums.heard, sums.held, a.receive_count);
  }
}

}  // namespace

Schedule scan_recursive_doubling(Runner& run, Arguments a) {
  copy(a.send, a.receive_count, a.receive_type, a.receive, a.receive_count, a.receive_type);
  return scan_by_doubling(run, a, true);
}

Schedule exscan_recursive_doubling(Runner& run, Arguments a) { return scan_by_doubling(run, a, false); }

}  // namespace pysmpi
