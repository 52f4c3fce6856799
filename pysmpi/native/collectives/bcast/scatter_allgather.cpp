// Broadcasts that scatter the buffer over the ranks and gather it again (van de Geijn; Barnett et al. 1994).
#include <algorithm>

#include "collectives/bcast/bcast.hpp"
#include "collectives/packed.hpp"
#include "collectives/trees.hpp"

namespace pysmpi {

namespace {

// The bytes of each rank's piece: rank v, numbered from the root, has bytes begin(v) to begin(v + 1). The last pieces
// may be empty. Example: 10 bytes on 4 ranks are pieces of 3, 3, 3 and 1 bytes.
struct Pieces {
  std::int64_t bytes, piece;
  // Divides `bytes` bytes among the ranks, cutting only at multiples of `unit` bytes.
  Pieces(std::int64_t bytes, int ranks, std::int64_t unit)
      : bytes(bytes), piece((bytes / unit + ranks - 1) / ranks * unit) {}
  std::int64_t begin(int number) const { return std::min(bytes, number * piece); }
  std::int64_t length(int from, int to) const { return begin(to) - begin(from); }
};

// Order in which a rank sends to its children: one after the other, or all at once, together with the first step of the
// allgather. MPICH does the latter in nonblocking broadcasts, where a rank assumes that it has received all pieces from
// its own to the last one. Thus its first child also gets pieces that are not there; the allgather replaces them.
enum class ToChildren : std::uint8_t { kInTurn, kAtOnce };

// Scatters the pieces down a binomial tree: each rank receives the pieces of its subtree, beginning with its own.
Schedule scatter_pieces(Runner& run, int root, const Packed& buffer, Pieces pieces, ToChildren sends) {
  const int number = (run.rank - root + run.size) % run.size;
  const auto rank_of = [&run, root](int other) { return (other + root) % run.size; };
  int distance = 1;
  while (distance < run.size && !(number & distance)) distance *= 2;
  int end = sends == ToChildren::kInTurn ? std::min(number + distance, run.size) : run.size;
  if (number != 0) {
    const std::int64_t bytes = pieces.length(number, end);
    if (bytes > 0) {
      co_await run.receive_now(rank_of(number - distance), buffer.data() + pieces.begin(number), bytes, kByte);
    }
  }
  for (distance /= 2; distance > 0; distance /= 2) {
    const int child = number + distance;
    if (child >= run.size) continue;
    const std::int64_t bytes = pieces.length(child, end);
    end = child;
    if (bytes == 0) continue;
    if (sends == ToChildren::kInTurn) {
      co_await run.send_now(rank_of(child), buffer.data() + pieces.begin(child), bytes, kByte);
    } else {
      run.send(rank_of(child), buffer.data() + pieces.begin(child), bytes, kByte);
    }
  }
}

// Scatters the pieces and then passes them round a ring. log2 P + P - 1 rounds.
Schedule ring_allgather(Runner& run, Arguments args, std::int64_t unit, ToChildren sends = ToChildren::kInTurn) {
  const int size = run.size, number = (run.rank - args.root + size) % size;
  const Packed buffer(args.receive, args.receive_count, args.receive_type, number == 0);
  const Pieces pieces(buffer.size(), size, unit);
  co_await scatter_pieces(run, args.root, buffer, pieces, sends);
  const int left = (run.rank + size - 1) % size, right = (run.rank + 1) % size;
  for (int step = 0; step < size - 1; ++step) {
    const int out = (number - step + size) % size, in = (number - step - 1 + size) % size;
    co_await run.exchange(right, buffer.data() + pieces.begin(out), pieces.length(out, out + 1), kByte, left,
                          buffer.data() + pieces.begin(in), pieces.length(in, in + 1), kByte);
  }
  if (number != 0) buffer.unpack();
}

// Scatters the pieces and then distributes them by recursive doubling. 2 log2 P rounds.
Schedule doubling_allgather(Runner& run, Arguments args, std::int64_t unit, ToChildren sends = ToChildren::kInTurn) {
  const int size = run.size, number = (run.rank - args.root + size) % size;
  if (size == 1 || args.receive_bytes() == 0) co_return;
  const Packed buffer(args.receive, args.receive_count, args.receive_type, number == 0);
  const Pieces pieces(buffer.size(), size, unit);
  co_await scatter_pieces(run, args.root, buffer, pieces, sends);
  const auto end = [size](int first, int distance) { return std::min(size, first + distance); };
  for (int distance = 1; distance < size; distance *= 2) {
    const int peer = number ^ distance, mine = number & -distance, theirs = peer & -distance;
    char* const in = buffer.data() + pieces.begin(std::min(size, theirs));
    const std::int64_t received = theirs < size ? pieces.length(theirs, end(theirs, distance)) : 0;
    if (peer < size) {
      const int partner = (peer + args.root) % size;
      co_await run.exchange(partner, buffer.data() + pieces.begin(mine), pieces.length(mine, end(mine, distance)),
                            kByte, partner, in, received, kByte);
    }
    const int complete = size - theirs;
    if (mine < theirs && complete > 0 && complete < distance) {
      co_await spread_in_subtree(run, distance, complete, in, received, kByte, args.root);
    }
  }
  if (number != 0) buffer.unpack();
}

// Returns the bytes of an element, at least 1. Open MPI cuts the buffer only between elements, MPICH at any byte.
std::int64_t element_size(const Arguments& args) {
  return std::max<std::int64_t>(1, find_datatype(args.receive_type)->size);
}

}  // namespace

Schedule bcast_scatter_ring_allgather(Runner& run, Arguments args) { return ring_allgather(run, args, 1); }
Schedule bcast_scatter_doubling_allgather(Runner& run, Arguments args) { return doubling_allgather(run, args, 1); }

Schedule bcast_scatter_ring_allgather_at_once(Runner& run, Arguments args) {
  return ring_allgather(run, args, 1, ToChildren::kAtOnce);
}
Schedule bcast_scatter_doubling_allgather_at_once(Runner& run, Arguments args) {
  return doubling_allgather(run, args, 1, ToChildren::kAtOnce);
}

Schedule bcast_openmpi_scatter_doubling_allgather(Runner& run, Arguments args) {
  if (args.receive_count >= run.size) return doubling_allgather(run, args, element_size(args));
  note_fallback("bcast", "openmpi_scatter_allgather", "flattree", "there are fewer elements than ranks");
  return bcast_linear(run, args);
}

Schedule bcast_openmpi_scatter_ring_allgather(Runner& run, Arguments args) {
  if (args.receive_count >= run.size) return ring_allgather(run, args, element_size(args));
  note_fallback("bcast", "openmpi_scatter_allgather_ring", "flattree", "there are fewer elements than ranks");
  return bcast_linear(run, args);
}

}  // namespace pysmpi
