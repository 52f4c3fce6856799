// Allreduce algorithms in which the distance of partners doubles.
#include <algorithm>

#include "collectives/allreduce/allreduce.hpp"
#include "collectives/allreduce/stages.hpp"

namespace pysmpi {

namespace {

// Carries out a function of stages.hpp among all ranks.
Schedule among_all(Runner& run, Arguments args, Schedule (*stage)(Runner&, Arguments, Line, char*, char*)) {
  auto* const result = static_cast<char*>(args.receive);
  const Scratch other(args.receive_count, args.receive_type, args.receive);
  local_copy(args.send, args.receive_count, args.receive_type, result, args.receive_count, args.receive_type);
  co_await stage(run, args, Line(run), result, other.data());
}

// Rabenseifner's algorithm of 1997, as in Open MPI (coll_base_allreduce.c).
Schedule halved(Runner& run, Arguments args) {
  if (args.receive_count == 0) co_return;
  auto* const result = static_cast<char*>(args.receive);
  const Scratch other(args.receive_count, args.receive_type, args.receive, Scratch::FilledBy::kCardByHalf);
  local_copy(args.send, args.receive_count, args.receive_type, result, args.receive_count, args.receive_type);
  const PowerOfTwo among(Line(run), 0);
  co_await reduce_in_pairs(run, args, among, result, other.data());
  if (among.number() >= 0) {
    const Halves halves(args.receive_count, among, among.number(), Cut::kHalves);
    co_await reduce_halves(run, args, among, halves, result, other.data());
    co_await gather_halves(run, args, among, halves, result);
  }
  co_await fold_out(run, args, among, result);
}

}  // namespace

Schedule allreduce_recursive_doubling(Runner& run, Arguments args) { return among_all(run, args, exchange_doubling); }

// Open MPI keeps the order of operands, whether or not the operation commutes, so that all ranks have the same result.
Schedule allreduce_openmpi_recursive_doubling(Runner& run, Arguments args) {
  args.reduction.commutative = false;
  return allreduce_recursive_doubling(run, args);
}

Schedule allreduce_doubling_instead_of(const char* name, Runner& run, Arguments args) {
  note_fallback("allreduce", name, "rdb", "the operation is not commutative");
  return allreduce_recursive_doubling(run, args);
}

// Rabenseifner 2004 (MPICH): reduce-scatter by recursive halving, then allgather by recursive doubling. 2 log2 P
// rounds.
Schedule allreduce_rabenseifner(Runner& run, Arguments args) {
  if (!args.reduction.commutative) return allreduce_doubling_instead_of("rab_rdb", run, args);
  return among_all(run, args, exchange_halves);
}

Schedule allreduce_mpich_rabenseifner(Runner& run, Arguments args) {
  if (!args.reduction.commutative) return allreduce_doubling_instead_of("mpich_rab", run, args);
  return among_all(run, args, exchange_even_halves);
}

// The choice of MVAPICH2 and of MPICH before 3.3: Rabenseifner's algorithm if there are enough elements to give each
// rank a part, otherwise recursive doubling.
Schedule allreduce_parts_or_doubling(Runner& run, Arguments args) {
  if (args.receive_count == 0) co_return;
  if (too_short(run, args)) {
    co_await allreduce_recursive_doubling(run, args);
  } else if (!args.reduction.commutative) {
    co_await allreduce_doubling_instead_of("mvapich2_rs", run, args);
  } else {
    co_await allreduce_rabenseifner(run, args);
  }
}

Schedule allreduce_rabenseifner_1997(Runner& run, Arguments args) {
  return args.reduction.commutative ? halved(run, args) : allreduce_doubling_instead_of("rab", run, args);
}

Schedule allreduce_openmpi_rabenseifner(Runner& run, Arguments args) {
  if (args.reduction.commutative && !too_short(run, args)) return halved(run, args);
  note_fallback("allreduce", "openmpi_rabenseifner", "openmpi_basic_linear",
                "the operation is not commutative, or there are fewer elements than ranks");
  return allreduce_linear(run, args);
}

}  // namespace pysmpi
