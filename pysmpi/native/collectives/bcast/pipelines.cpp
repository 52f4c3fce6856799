// Pipelined broadcasts in segments, from rank 0 (SMPI's NTSL and NTSB) or from the root.
#include "collectives/bcast/bcast.hpp"
#include "collectives/bcast/segments.hpp"

namespace pysmpi {

Schedule hand_to_rank_0(Runner& run, const Arguments& a) {
  if (a.root == 0) co_return;
  if (run.rank == a.root) co_await run.send_now(0, a.receive, a.receive_count, a.receive_type);
  if (run.rank == 0) co_await run.receive_now(a.root, a.receive, a.receive_count, a.receive_type);
}

Schedule broadcast_rest(Runner& run, const Arguments& a, const Segments& segments) {
  if (segments.rest == 0) co_return;
  Arguments rest = a;
  rest.receive = a.receive_at(segments.whole * segments.elements);
  rest.receive_count = segments.rest;
  co_await collective(Operation::kBcast, run, rest);
}

namespace {

constexpr int kNobody = -1;

struct Place {
  int parent, children[2];
};

// Receives all segments from the parent and passes on each one as soon as it has arrived.
Schedule relay(Runner& run, Arguments a, Place place) {
  if (run.size == 1) co_return;
  co_await hand_to_rank_0(run, a);
  const Segments segments(a, kSegmentBytes);
  if (segments.are_one(a)) {
    if (place.parent != kNobody) {
      co_await run.receive_now(place.parent, a.receive, a.receive_count, a.receive_type);
    }
    for (const int child : place.children) {
      if (child != kNobody) co_await run.send_now(child, a.receive, a.receive_count, a.receive_type);
    }
    co_return;
  }
  const bool leaf = place.children[0] == kNobody;
  for (std::int64_t i = 0; i < segments.whole && place.parent != kNobody; ++i) {
    char* const at = a.receive_at(i * segments.elements);
    if (leaf) {
      run.receive(place.parent, at, segments.elements, a.receive_type);
    } else {
      run.start_receive(place.parent, at, segments.elements, a.receive_type);
    }
  }
  for (std::int64_t i = 0; i < segments.whole && !leaf; ++i) {
    if (place.parent != kNobody) co_await run.finish_first();
    for (const int child : place.children) {
      if (child == kNobody) continue;
      co_await run.start_send(child, a.receive_at(i * segments.elements), segments.elements, a.receive_type);
    }
  }
  co_await run.round();
  co_await broadcast_rest(run, a, segments);
}

}  // namespace

Schedule bcast_chain_from_0(Runner& run, Arguments a) {
  const int next = run.rank + 1;
  return relay(run, a, {run.rank == 0 ? kNobody : run.rank - 1, {next < run.size ? next : kNobody, kNobody}});
}

Schedule bcast_binary_tree_from_0(Runner& run, Arguments a) {
  const int left = 2 * run.rank + 1, right = left + 1;
  return relay(run, a,
               {run.rank == 0 ? kNobody : (run.rank - 1) / 2,
                {left < run.size ? left : kNobody, right < run.size ? right : kNobody}});
}

// The root sends all segments to one rank after the other.
Schedule bcast_linear_in_segments(Runner& run, Arguments a) {
  const Segments segments(a, kSegmentBytes);
  if (segments.whole == 0) {
    co_await bcast_linear(run, a);
    co_return;
  }
  const std::int64_t messages = segments.whole + (segments.rest > 0);
  const auto length = [&](std::int64_t i) { return i < segments.whole ? segments.elements : segments.rest; };
  if (run.rank != a.root) {
    for (std::int64_t i = 0; i < messages; ++i) {
      run.receive(a.root, a.receive_at(i * segments.elements), length(i), a.receive_type);
    }
    co_await run.round();
    co_return;
  }
  for (int other = 0; other < run.size; ++other) {
    for (std::int64_t i = 0; i < messages && other != a.root; ++i) {
      co_await run.send_now(other, a.receive_at(i * segments.elements), length(i), a.receive_type);
    }
  }
}

}  // namespace pysmpi
