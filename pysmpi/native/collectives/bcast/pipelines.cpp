// Pipelined broadcasts in segments, from rank 0 (those that SMPI calls NTSL and NTSB) or from the root.
#include "collectives/bcast/bcast.hpp"
#include "collectives/bcast/segments.hpp"

namespace pysmpi {

Schedule hand_to_rank_0(Runner& run, const Arguments& args) {
  if (args.root == 0) co_return;
  if (run.rank == args.root) co_await run.send_now(0, args.receive, args.receive_count, args.receive_type);
  if (run.rank == 0) co_await run.receive_now(args.root, args.receive, args.receive_count, args.receive_type);
}

Schedule broadcast_rest(Runner& run, const Arguments& args, const Segments& segments) {
  if (segments.rest == 0) co_return;
  Arguments rest = args;
  rest.receive = args.receive_at(segments.whole * segments.elements);
  rest.receive_count = segments.rest;
  const Runner::Meanwhile meanwhile(run);  // a rank may still expect its segments from any rank
  co_await collective(Operation::kBcast, run, rest);
}

namespace {

struct PipelinePlace {
  int parent, children[2];
};

// Receives all segments from the parent and passes on each one as soon as it has arrived.
Schedule relay(Runner& run, Arguments args, PipelinePlace place) {
  if (run.size == 1) co_return;
  co_await hand_to_rank_0(run, args);
  const Segments segments(args, kSegmentBytes);
  if (segments.are_one(args)) {
    if (place.parent != kNobody) {
      co_await run.receive_now(place.parent, args.receive, args.receive_count, args.receive_type);
    }
    for (const int child : place.children) {
      if (child != kNobody) co_await run.send_now(child, args.receive, args.receive_count, args.receive_type);
    }
    co_return;
  }
  const bool leaf = place.children[0] == kNobody;
  for (std::int64_t i = 0; i < segments.whole && place.parent != kNobody; ++i) {
    char* const at = args.receive_at(i * segments.elements);
    if (leaf) {
      run.receive(place.parent, at, segments.elements, args.receive_type);
    } else {
      run.start_receive(place.parent, at, segments.elements, args.receive_type);
    }
  }
  for (std::int64_t i = 0; i < segments.whole && !leaf; ++i) {
    if (place.parent != kNobody) co_await run.finish_first();
    for (const int child : place.children) {
      if (child == kNobody) continue;
      co_await run.start_send(child, args.receive_at(i * segments.elements), segments.elements, args.receive_type);
    }
  }
  co_await run.round();
  co_await broadcast_rest(run, args, segments);
}

}  // namespace

Schedule bcast_chain_from_0(Runner& run, Arguments args) {
  const int next = run.rank + 1;
  return relay(run, args, {run.rank == 0 ? kNobody : run.rank - 1, {next < run.size ? next : kNobody, kNobody}});
}

Schedule bcast_binary_tree_from_0(Runner& run, Arguments args) {
  const int left = 2 * run.rank + 1, right = left + 1;
  return relay(run, args,
               {run.rank == 0 ? kNobody : (run.rank - 1) / 2,
                {left < run.size ? left : kNobody, right < run.size ? right : kNobody}});
}

// The root sends all segments to one rank after the other.
Schedule bcast_linear_in_segments(Runner& run, Arguments args) {
  const Segments segments(args, kSegmentBytes);
  if (segments.whole == 0) {
    co_await bcast_linear(run, args);
    co_return;
  }
  const std::int64_t messages = segments.whole + (segments.rest > 0);
  const auto length = [&](std::int64_t i) { return i < segments.whole ? segments.elements : segments.rest; };
  if (run.rank != args.root) {
    for (std::int64_t i = 0; i < messages; ++i) {
      run.receive(args.root, args.receive_at(i * segments.elements), length(i), args.receive_type);
    }
    co_await run.round();
    co_return;
  }
  for (int other = 0; other < run.size; ++other) {
    for (std::int64_t i = 0; i < messages && other != args.root; ++i) {
      co_await run.send_now(other, args.receive_at(i * segments.elements), length(i), args.receive_type);
    }
  }
}

}  // namespace pysmpi
