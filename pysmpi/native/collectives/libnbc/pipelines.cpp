// Schedules of libnbc that pass a vector on in segments: a chain up to the root of a reduction, and a ring.
#include <algorithm>

#include "collectives/libnbc/libnbc.hpp"

namespace pysmpi::libnbc {

// The last rank of the chain sends its segments one after the other. Every other rank receives a segment, combines it
// with its own and sends it on before it receives the next one. As in the trees, the root and rank 0 exchange their
// places. Segments have at most 8 KiB, apart from the last one, which gets the remainder; if an element is longer, all
// but the last segment are empty. The root combines into the received segment, or in place into its own.
Schedule reduce_chain(Runner& run, Arguments args) {
  constexpr std::int64_t kSegmentBytes = 8192;
  const std::int64_t segments = (args.receive_bytes() + kSegmentBytes - 1) / kSegmentBytes;
  const std::int64_t length = args.receive_count / segments, extent = args.receive_extent();
  const int number = swapped(run.rank, args.root);
  const bool at_root = number == 0, is_last = number == run.size - 1, into_own = at_root && args.in_place;
  const Scratch scratch(is_last || (at_root && !into_own) ? 0 : args.receive_count, args.receive_type, args.send);
  char* const received = at_root && !into_own ? static_cast<char*>(args.receive) : scratch.data();
  for (std::int64_t segment = 0; segment < segments; ++segment) {
    const std::int64_t begin = segment * length, offset = begin * extent;
    const std::int64_t count = segment == segments - 1 ? args.receive_count - begin : length;
    const char* const own = static_cast<const char*>(args.send) + offset;
    char* const other = received + offset;
    if (!is_last) {
      run.receive(swapped(number + 1, args.root), other, count, args.receive_type);
      co_await run.round();
      char* const result = static_cast<char*>(args.receive) + offset;
      co_await run.reduce(args.reduction, args.receive_type, into_own ? other : own, into_own ? result : other, count);
    }
    if (at_root) continue;
    run.send(swapped(number - 1, args.root), is_last ? own : other, count, args.receive_type);
    co_await run.round();
  }
}

// Each of P parts of the vector goes round the ring twice: first it is reduced, one rank after the other, then the
// result is distributed. The first parts get the remainder, an element each.
Schedule allreduce_ring(Runner& run, Arguments args) {
  const int size = run.size, right = (run.rank + 1) % size, left = (run.rank + size - 1) % size;
  const std::int64_t part = args.receive_count / size, longer = args.receive_count % size;
  const auto length = [&](int i) { return part + (i < longer ? 1 : 0); };
  const auto offset = [&, extent = args.receive_extent()](int i) {
    return (i * part + std::min<std::int64_t>(i, longer)) * extent;
  };
  char* const result = static_cast<char*>(args.receive);
  const char* const own = static_cast<const char*>(args.send);
  for (int round = 0; round < 2 * (size - 1); ++round) {
    const int out = (run.rank + 1 - round + 2 * size) % size, in = (run.rank - round + 2 * size) % size;
    run.send(right, (round == 0 ? own : result) + offset(out), length(out), args.receive_type);
    run.receive(left, result + offset(in), length(in), args.receive_type);
    co_await run.round();
    if (round >= size - 1) continue;
    co_await run.reduce(args.reduction, args.receive_type, own + offset(in), result + offset(in), length(in));
  }
}

}  // namespace pysmpi::libnbc
