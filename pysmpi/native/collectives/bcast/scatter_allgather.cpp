// Broadcasts that scatter the buffer over the ranks and gather it again (van de Geijn; Barnett et al. 1994).
#include <algorithm>

#include "collectives/bcast/bcast.hpp"
#include "collectives/packed.hpp"

namespace pysmpi {

namespace {

// Rank v, numbered from the root, has bytes begin(v) to begin(v + 1) for its own. The last ranks may have none.
struct Pieces {
  std::int64_t bytes, piece;
  Pieces(std::int64_t bytes, int ranks) : bytes(bytes), piece((bytes + ranks - 1) / ranks) {}
  std::int64_t begin(int number) const { return std::min(bytes, number * piece); }
  std::int64_t length(int from, int to) const { return begin(to) - begin(from); }
};

// Down a binomial tree: each rank hears the pieces of its subtree, which are those from its own on.
Schedule scatter_pieces(Runner& run, int root, const Packed& buffer, Pieces pieces) {
  const int number = (run.rank - root + run.size) % run.size;
  const auto rank_of = [&run, root](int other) { return (other + root) % run.size; };
  int distance = 1;
  while (distance < run.size && !(number & distance)) distance *= 2;
  if (number != 0) {
    const std::int64_t bytes = pieces.length(number, std::min(number + distance, run.size));
    if (bytes > 0) {
      co_await run.receive_now(rank_of(number - distance), buffer.data() + pieces.begin(number), bytes, kByte);
    }
  }
  for (distance /= 2; distance > 0; distance /= 2) {
    const int child = number + distance;
    if (child >= run.size) continue;
    const std::int64_t bytes = pieces.length(child, std::min(child + distance, run.size));
    if (bytes > 0) co_await run.send_now(rank_of(child), buffer.data() + pieces.begin(child), bytes, kByte);
  }
}

}  // namespace

// The pieces then go round a ring. (SMPI: scatter_LR_allgather.)
Schedule bcast_scatter_ring_allgather(Runner& run, Arguments a) {
  const int size = run.size, number = (run.rank - a.root + size) % size;
  const Packed buffer(a.receive, a.receive_count, a.receive_type, number == 0);
  const Pieces pieces(buffer.size(), size);
  co_await scatter_pieces(run, a.root, buffer, pieces);
  const int left = (run.rank + size - 1) % size, right = (run.rank + 1) % size;
  for (int step = 0; step < size - 1; ++step) {
    const int out = (number - step + size) % size, in = (number - step - 1 + size) % size;
    co_await run.exchange(right, buffer.data() + pieces.begin(out), pieces.length(out, out + 1), kByte, left,
                          buffer.data() + pieces.begin(in), pieces.length(in, in + 1), kByte);
  }
  if (number != 0) buffer.unpack();
}

}  // namespace pysmpi
