// Reductions to one rank.
#include "collectives/reduce/reduce.hpp"

namespace pysmpi {

// All contributions go to the root at once. Commutative operations: MPI's own are applied as the messages come, which
// takes no room; programs' own once all are there.
Schedule reduce_at_root(Runner& run, Arguments a) {
  if (run.rank != a.root) {
    run.send(a.root, a.send, a.receive_count, a.receive_type);
    co_await run.round();
    co_return;
  }
  copy(a.send, a.receive_count, a.receive_type, a.receive, a.receive_count, a.receive_type);
  const bool as_they_come = a.reduction.kind != ReductionKind::kUser && find_datatype(a.receive_type)->contiguous;
  const std::int64_t step = as_they_come ? 0 : a.receive_count * a.receive_extent();
  const Scratch others(as_they_come ? 0 : (run.size - 1) * a.receive_count, a.receive_type, a.receive);
  char* room = others.data();
  for (int other = 0; other < run.size; ++other) {
    if (other == a.root) continue;
    if (as_they_come) {
      run.receive_and_reduce(other, a.reduction, a.receive, a.receive_count, a.receive_type);
    } else {
      run.receive(other, room, a.receive_count, a.receive_type);
      room += step;
    }
  }
  co_await run.round();
  if (as_they_come) co_return;
  room = others.data();
  for (int other = 1; other < run.size; ++other, room += step) {
    co_await run.reduce(a.reduction, a.receive_type, room, a.receive, a.receive_count);
  }
}

// The root takes the contributions one by one from the last rank to the first, which keeps the order of operands.
Schedule reduce_in_order(Runner& run, Arguments a) {
  if (run.rank != a.root) {
    co_await run.send_now(a.root, a.send, a.receive_count, a.receive_type);
    co_return;
  }
  if (run.rank == run.size - 1) {
    copy(a.send, a.receive_count, a.receive_type, a.receive, a.receive_count, a.receive_type);
  } else {
    co_await run.receive_now(run.size - 1, a.receive, a.receive_count, a.receive_type);
  }
  const Scratch other(a.receive_count, a.receive_type, a.receive);
  for (int from = run.size - 2; from >= 0; --from) {
    const void* operand = a.send;
    if (from != run.rank) {
      co_await run.receive_now(from, other.data(), a.receive_count, a.receive_type);
      operand = other.data();
    }
    co_await run.reduce(a.reduction, a.receive_type, operand, a.receive, a.receive_count);
  }
}

// A binomial tree, rooted in rank 0 when the order of operands matters, which then passes the result on to the root.
// Nothing is sent where there is nothing to reduce.
Schedule reduce_binomial(Runner& run, Arguments a) {
  if (a.receive_count == 0) co_return;
  const bool at_root = run.rank == a.root, commutes = a.reduction.commutative;
  const int top = commutes ? a.root : 0, number = (run.rank - top + run.size) % run.size;
  const Scratch other(a.receive_count, a.receive_type, a.send);
  const Scratch own(at_root ? 0 : a.receive_count, a.receive_type, a.send);
  char* const result = at_root ? static_cast<char*>(a.receive) : own.data();
  copy(a.send, a.receive_count, a.receive_type, result, a.receive_count, a.receive_type);
  for (int distance = 1; distance < run.size; distance *= 2) {
    if (number & distance) {
      co_await run.send_now((number - distance + top) % run.size, result, a.receive_count, a.receive_type);
      break;
    }
    if (number + distance >= run.size) continue;
    co_await run.receive_now((number + distance + top) % run.size, other.data(), a.receive_count, a.receive_type);
    if (commutes) {
      co_await run.reduce(a.reduction, a.receive_type, other.data(), result, a.receive_count);
    } else {
      co_await run.reduce(a.reduction, a.receive_type, result, other.data(), a.receive_count);
      copy(other.data(), a.receive_count, a.receive_type, result, a.receive_count, a.receive_type);
    }
  }
  if (top == a.root) co_return;
  if (run.rank == top) co_await run.send_now(a.root, result, a.receive_count, a.receive_type);
  if (at_root) co_await run.receive_now(top, result, a.receive_count, a.receive_type);
}

}  // namespace pysmpi
