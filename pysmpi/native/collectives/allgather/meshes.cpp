// Allgather on ranks arranged in a mesh: along its rows, then along its columns (Faraj, Yuan 2005). Example with 6
// ranks in 2 rows of 3: ranks 0 to 2 exchange their blocks, and ranks 3 to 5 theirs; then 0 and 3, 1 and 4, and 2 and 5
// exchange whole rows.
#include <cmath>

#include "collectives/allgather/allgather.hpp"
#include "collectives/allgather/blocks.hpp"

namespace pysmpi {

namespace {

// The ranks `first`, `first + stride`, `first + 2 stride` and so on, `ranks` in number.
struct MeshLine {
  int first, stride, ranks;
};

// Each rank of `line` (a row or a column of the mesh) sends the `blocks` consecutive blocks that it holds to all other
// ranks of the line and receives their blocks. The partners come in the order of the line, starting at position
// `begin`.
Schedule exchange_along(Runner& run, Arguments args, MeshLine line, int blocks, int begin) {
  const std::int64_t count = blocks * args.receive_count;
  const auto peer = [&line, begin](int i) { return line.first + (begin + i) % line.ranks * line.stride; };
  const auto held_by = [&args, blocks](int rank) { return equal_block_of(args, rank / blocks * blocks); };
  for (int i = 0; i < line.ranks; ++i) {
    if (peer(i) != run.rank) run.receive(peer(i), held_by(peer(i)), count, args.receive_type);
  }
  for (int i = 0; i < line.ranks; ++i) {
    if (peer(i) != run.rank) co_await run.send_now(peer(i), held_by(run.rank), count, args.receive_type);
  }
  co_await run.round();
}

}  // namespace

Schedule allgather_mesh(Runner& run, Arguments args) {
  const int size = run.size;
  int rows = static_cast<int>(std::sqrt(size));
  while (rows <= size / 2 && size % rows != 0) ++rows;
  rows = rows > size / 2 ? 1 : std::min(rows, size / rows);
  if (rows == 1 && size > 3) note_fallback("allgather", "2dmesh", "a mesh of one row", "the number of ranks is prime");
  const int columns = size / rows;
  place_own_equal_block(run, args);
  co_await exchange_along(run, args, {run.rank / columns * columns, 1, columns}, 1, 0);
  co_await exchange_along(run, args, {run.rank % columns, columns, rows}, columns, 0);
}

Schedule allgather_cube(Runner& run, Arguments args) {
  const int size = run.size;
  int side = static_cast<int>(std::cbrt(size));
  while (side <= size / 3 && size % (side * side) != 0) ++side;
  if (side > size / 3) {
    if (size > 2) {
      note_fallback("allgather", "3dmesh", "a mesh of one line",
                    "the number of ranks is not x * x * y with x at or above its cube root");
    }
    side = 1;
  }
  const int plane = side * side, in_plane = run.rank % plane, layer = run.rank / plane;
  place_own_equal_block(run, args);
  co_await exchange_along(run, args, {run.rank / side * side, 1, side}, 1, 0);
  co_await exchange_along(run, args, {layer * plane + run.rank % side, side, side}, side, 0);
  co_await exchange_along(run, args, {in_plane, plane, size / plane}, plane, layer);
}

}  // namespace pysmpi
