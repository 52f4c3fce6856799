// Allreduce algorithms in which the distance of partners doubles.
#include <algorithm>

#include "collectives/allreduce/allreduce.hpp"
#include "collectives/allreduce/stages.hpp"

namespace pysmpi {

namespace {

Schedule in_order(Runner& run, Arguments a, const char* name) {
  note_fallback("allreduce", name, "rdb", "the operation is not commutative");
  return allreduce_recursive_doubling(run, a);
}

// Rabenseifner 1997; Open MPI (coll_base_allreduce.c).
Schedule halved(Runner& run, Arguments a) {
  if (a.receive_count == 0) co_return;
  auto* const result = static_cast<char*>(a.receive);
  const Scratch other(a.receive_count, a.receive_type, a.receive);
  copy(a.send, a.receive_count, a.receive_type, result, a.receive_count, a.receive_type);
  const PowerOfTwo among(Line(run), 0);
  co_await reduce_in_pairs(run, a, among, result, other.data());
  if (among.number() >= 0) {
    const Halves halves(a.receive_count, among, among.number(), Cut::kHalves);
    co_await reduce_halves(run, a, among, halves, result, other.data());
    co_await gather_halves(run, a, among, halves, result);
  }
  co_await fold_out(run, a, among, result);
}

bool too_short(const Runner& run, const Arguments& a) { return a.receive_count < PowerOfTwo(Line(run), 0).power; }

}  // namespace

Schedule allreduce_recursive_doubling(Runner& run, Arguments a) {
  auto* const result = static_cast<char*>(a.receive);
  const Scratch other(a.receive_count, a.receive_type, a.receive);
  copy(a.send, a.receive_count, a.receive_type, result, a.receive_count, a.receive_type);
  co_await exchange_doubling(run, a, Line(run), result, other.data());
}

// Rabenseifner 2004 (MPICH): reduce-scatter by recursive halving, then allgather by recursive doubling. 2 log2 P
// rounds.
Schedule allreduce_rabenseifner(Runner& run, Arguments a) {
  if (!a.reduction.commutative) {
    co_await in_order(run, a, "rab_rdb");
    co_return;
  }
  auto* const result = static_cast<char*>(a.receive);
  const Scratch other(a.receive_count, a.receive_type, a.receive);
  copy(a.send, a.receive_count, a.receive_type, result, a.receive_count, a.receive_type);
  co_await exchange_halves(run, a, Line(run), result, other.data());
}

// MVAPICH2, and MPICH before 3.3: Rabenseifner's algorithm if there are enough elements to give each rank a part.
Schedule allreduce_parts_or_doubling(Runner& run, Arguments a) {
  if (a.receive_count == 0) co_return;
  if (too_short(run, a)) {
    co_await allreduce_recursive_doubling(run, a);
  } else if (!a.reduction.commutative) {
    co_await in_order(run, a, "mvapich2_rs");
  } else {
    co_await allreduce_rabenseifner(run, a);
  }
}

Schedule allreduce_rabenseifner_1997(Runner& run, Arguments a) {
  return a.reduction.commutative ? halved(run, a) : in_order(run, a, "rab");
}

Schedule allreduce_openmpi_rabenseifner(Runner& run, Arguments a) {
  if (a.reduction.commutative && !too_short(run, a)) return halved(run, a);
  note_fallback("allreduce", "openmpi_rabenseifner", "openmpi_basic_linear",
                "the operation is not commutative, or there are fewer elements than ranks");
  return allreduce_linear(run, a);
}

}  // namespace pysmpi
