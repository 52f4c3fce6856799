// Reductions along chains of ranks, in segments of 8 KiB whose receives are all posted at once (STAR-MPI; Faraj,
// Patarasuk and Yuan 2007).
#include <algorithm>
#include <vector>

#include "collectives/reduce/reduce.hpp"
#include "collectives/selectors/selectors.hpp"

namespace pysmpi {

namespace {

std::int64_t elements_a_segment(const Arguments& a) {
  return std::max<std::int64_t>(8192 / std::max<std::int64_t>(a.receive_extent(), 1), 1);
}

// Receives, reduces and forwards each segment. from < 0: the rank starts the chain; to < 0: the result stays at the
// rank.
Schedule relay_segments(Runner& run, Arguments a, int from, int to, char* result) {
  const std::int64_t segment = elements_a_segment(a), extent = a.receive_extent(), count = a.receive_count;
  const Scratch in(from < 0 ? 0 : count, a.receive_type, a.send);
  for (std::int64_t begin = 0; from >= 0 && begin < count; begin += segment) {
    run.start_receive(from, in.data() + begin * extent, segment, a.receive_type);
  }
  for (std::int64_t begin = 0; begin < count; begin += segment) {
    if (from >= 0) {
      co_await run.finish_first();
      co_await run.reduce(a.reduction, a.receive_type, in.data() + begin * extent, result + begin * extent, segment);
    }
    if (to >= 0) co_await run.start_send(to, result + begin * extent, segment, a.receive_type);
  }
  co_await run.round();
}

// Receives, reduces and forwards a vector of at most one segment. `from` and `to`: see relay_segments.
Schedule relay_whole(Runner& run, Arguments a, int from, int to, char* result) {
  if (from >= 0) {
    const Scratch in(a.receive_count, a.receive_type, a.send);
    co_await run.receive_now(from, in.data(), a.receive_count, a.receive_type);
    co_await run.reduce(a.reduction, a.receive_type, in.data(), result, a.receive_count);
  }
  if (to >= 0) co_await run.send_now(to, result, a.receive_count, a.receive_type);
}

// Reduces the elements after the last whole segment.
Schedule reduce_remainder(Runner& run, Arguments a, std::int64_t begin) {
  const std::int64_t extent = a.receive_extent();
  a.send = static_cast<const char*>(a.send) + begin * extent;
  if (run.rank == a.root) a.receive = a.receive_at(begin);
  a.receive_count -= begin;
  return default_selector(Operation::kReduce)(run, a);
}

// Reduction by arrival: each rank informs rank 0 by one byte that it has entered. The ranks that have entered form a
// chain. The chain's first rank gets the list of ranks, which is passed along the chain, and the last rank sends the
// result to rank 0.
//
// Length of this list in words, one word for each rank; SMPI's list has at least 1024 entries.
std::int64_t words_a_list(const Runner& run) { return std::max(run.size, 1024); }

// Rank 0's part of the reduction by arrival, with the sequence of probes that SMPI has
// (reduce-arrival-pattern-aware.cpp). For a vector of one segment, rank 0 sleeps after each probe. For a vector of
// several segments it does not sleep; after each rank found, it probes again from rank 2 on.
Schedule hear_chains(Runner& run, Arguments a, bool in_segments, char* result) {
  enum State : char { kMissing, kSeen, kHeard, kChained };
  const std::int64_t segment = elements_a_segment(a), extent = a.receive_extent();
  const Scratch in(std::min(segment, a.receive_count), a.receive_type, a.send);
  std::vector<State> states(run.size, kMissing);
  std::vector<std::int32_t> list(words_a_list(run));
  char byte;
  for (int chained = 0; chained < run.size - 1;) {
    const bool hopeless = run.probes_are_pointless();
    int missing = 0, length = 0;
    for (int i = 1; i < run.size; ++i) {
      if (states[i] != kMissing) continue;
      const bool here = co_await run.probe(i);
      if (!in_segments) co_await run.sleep(1e-4);
      if (here && in_segments) {
        co_await run.receive_now(i, &byte, 1, kByte);
        states[i] = kHeard;
        i = 1;
      } else if (here) {
        states[i] = kSeen;
      } else if (missing == 0) {
        missing = i;
      }
    }
    for (int i = 1; i < run.size; ++i) {
      if (states[i] == kSeen || (hopeless && i == missing)) co_await run.receive_now(i, &byte, 1, kByte);
      if (states[i] == kChained || (states[i] == kMissing && !(hopeless && i == missing))) continue;
      states[i] = kChained;
      list[length++] = i;
    }
    if (length == 0) continue;
    list[length] = -1;
    chained += length;
    co_await run.send_now(list[0], list.data(), words_a_list(run) * 4, kByte);
    for (std::int64_t begin = 0; begin == 0 || begin < a.receive_count;
         begin += segment) {  // an empty vector is sent, too
      const std::int64_t count = std::min(segment, a.receive_count - begin);
      co_await run.receive_now(list[length - 1], in.data(), count, a.receive_type);
      co_await run.reduce(a.reduction, a.receive_type, in.data(), result + begin * extent, count);
    }
  }
}

Schedule join_chain(Runner& run, Arguments a, bool in_segments, char* result) {
  char byte = 0;
  co_await run.send_now(0, &byte, 1, kByte);
  std::vector<std::int32_t> list(words_a_list(run));
  co_await run.receive_now(kAnySource, list.data(), words_a_list(run) * 4, kByte);
  const auto own = std::find(list.begin(), list.end(), run.rank);
  const int next = own[1], from = own == list.begin() ? -1 : own[-1];
  if (next >= 0) co_await run.send_now(next, list.data(), words_a_list(run) * 4, kByte);
  co_await (in_segments ? relay_segments : relay_whole)(run, a, from, std::max(next, 0), result);
}

}  // namespace

// The chain starts at the rank before the root and goes down the ranks to the root.
Schedule reduce_star_chain(Runner& run, Arguments a) {
  if (!a.reduction.commutative) {
    co_await reduce_binomial_instead_of("NTSL", run, a);
    co_return;
  }
  const bool at_root = run.rank == a.root, begins = run.rank == (a.root + run.size - 1) % run.size;
  const Scratch own(at_root ? 0 : a.receive_count, a.receive_type, a.send);
  char* const result = at_root ? static_cast<char*>(a.receive) : own.data();
  local_copy(a.send, a.receive_count, a.receive_type, result, a.receive_count, a.receive_type);
  const int from = begins ? -1 : (run.rank + 1) % run.size;
  const int to = at_root ? -1 : (run.rank + run.size - 1) % run.size;
  const std::int64_t segment = elements_a_segment(a);
  if (a.receive_count <= segment) {
    co_await relay_whole(run, a, from, to, result);
    co_return;
  }
  Arguments whole = a;
  whole.receive_count -= a.receive_count % segment;
  co_await relay_segments(run, whole, from, to, result);
  if (whole.receive_count < a.receive_count) co_await reduce_remainder(run, a, whole.receive_count);
}

// Reduces the contributions in the order in which the ranks enter the call (Patarasuk and Yuan 2008). Rank 0 sends the
// result to the root.
Schedule reduce_by_arrival(Runner& run, Arguments a) {
  if (!a.reduction.commutative) {
    co_await reduce_binomial_instead_of("arrival_pattern_aware", run, a);
    co_return;
  }
  const bool at_root = run.rank == a.root;
  const Scratch own(at_root ? 0 : a.receive_count, a.receive_type, a.send);
  char* const result = at_root ? static_cast<char*>(a.receive) : own.data();
  local_copy(a.send, a.receive_count, a.receive_type, result, a.receive_count, a.receive_type);
  Arguments whole = a;
  const bool in_segments = a.receive_count > elements_a_segment(a);
  if (in_segments) whole.receive_count -= a.receive_count % elements_a_segment(a);
  run.stream = 1;  // separates lists, which may come from any rank, from the reduction of the remainder
  co_await (run.rank == 0 ? hear_chains : join_chain)(run, whole, in_segments, result);
  if (run.rank == 0 && !at_root) co_await run.send_now(a.root, result, a.receive_count, a.receive_type);
  if (run.rank != 0 && at_root) co_await run.receive_now(0, result, a.receive_count, a.receive_type);
  run.stream = 0;
  if (whole.receive_count < a.receive_count) co_await reduce_remainder(run, a, whole.receive_count);
}

}  // namespace pysmpi
