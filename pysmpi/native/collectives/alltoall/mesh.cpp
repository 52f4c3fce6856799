// Alltoall algorithms on a mesh of ranks (Faraj and Yuan 2005, "Automatic generation and tuning of MPI collective
// communication routines"). The ranks first gather all data along the first dimensions. Then each rank sends the blocks
// for each rank of the last dimension in one message.
#include <algorithm>

#include "collectives/alltoall/alltoall.hpp"

namespace pysmpi {

namespace {

// Returns the longer side of the mesh that SMPI chooses, or 0 if none exists. The search for a divisor of the number of
// ranks starts at the square root, rounded down.
int side_of_2d(int ranks) {
  int side = 1;
  while ((side + 1) * (side + 1) <= ranks) ++side;
  for (; side <= ranks / 2; ++side) {
    if (ranks % side == 0) return std::max(side, ranks / side);
  }
  return 0;
}

int side_of_3d(int ranks) {
  int side = 1;
  while ((side + 1) * (side + 1) * (side + 1) <= ranks) ++side;
  for (; side <= ranks / 3; ++side) {
    if (ranks % (side * side) == 0) return side;
  }
  return 0;
}

// An allgather among `ranks` ranks, of which the i-th one is rank first + i * stride. Its part is stored at parts + i *
// bytes.
Schedule share(Runner& run, int first, int stride, int ranks, char* parts, std::int64_t bytes) {
  const int own = (run.rank - first) / stride;
  for (int i = 0; i < ranks; ++i) {
    if (i != own) run.receive(first + i * stride, parts + i * bytes, bytes, kByte);
  }
  for (int i = 0; i < ranks; ++i) {
    if (i != own) co_await run.send_now(first + i * stride, parts + own * bytes, bytes, kByte);
  }
  co_await run.round();
}

// The plane with which an exchange between planes begins: the first plane, or the plane after the rank's own.
enum class Begin : std::uint8_t { kFirst, kNext };

// Exchanges blocks between planes of `plane` ranks. `sent` contains the send buffers of all ranks of the plane, one
// after the other. The rank exchanges with the rank at the same position in every other plane.
Schedule exchange_between_planes(Runner& run, const Arguments& args, int plane, const char* sent, Begin begin) {
  const int rank = run.rank, size = run.size, planes = size / plane, own = rank / plane, place = rank % plane;
  const std::int64_t block = args.send_bytes();
  const Scratch blocks(plane * block, kByte, args.receive);
  const auto pick = [&](int to) {
    for (int i = 0; i < plane; ++i) {
      local_copy(sent + (static_cast<std::int64_t>(i) * size + to) * block, block, kByte, blocks.data() + i * block,
                 block, kByte);
    }
  };
  const auto in = [&args, plane](int from) {
    return args.receive_at(static_cast<std::int64_t>(from) * plane * args.receive_count);
  };
  const std::int64_t in_count = plane * args.receive_count;
  const int skipped = begin == Begin::kNext ? own : 0;
  pick(rank);
  local_copy(blocks.data(), plane * block, kByte, in(own), in_count, args.receive_type);
  for (int i = 0; i < planes; ++i) {
    const int from = (skipped + i) % planes;
    if (from != own) run.receive(from * plane + place, in(from), in_count, args.receive_type);
  }
  for (int i = 0; i < planes; ++i) {
    const int to = (skipped + i) % planes;
    if (to == own) continue;
    pick(to * plane + place);
    co_await run.send_now(to * plane + place, blocks.data(), plane * block, kByte);
  }
  co_await run.round();
}

}  // namespace

Schedule alltoall_2dmesh(Runner& run, Arguments args) {
  const int rank = run.rank, size = run.size, columns = side_of_2d(size);
  if (columns == 0) {
    if (size > 1) note_fallback("alltoall", "2dmesh", "ring", "the number of ranks is prime");
    co_await alltoall_ring(run, args);
    co_return;
  }
  const std::int64_t bytes = size * args.send_bytes();
  const Scratch sent(columns * bytes, kByte, args.receive);
  local_copy(args.send, size * args.send_count, args.send_type, sent.data() + rank % columns * bytes, bytes, kByte);
  co_await share(run, rank / columns * columns, 1, columns, sent.data(), bytes);
  co_await exchange_between_planes(run, args, columns, sent.data(), Begin::kFirst);
}

Schedule alltoall_3dmesh(Runner& run, Arguments args) {
  const int rank = run.rank, size = run.size, side = side_of_3d(size), plane = side * side;
  if (side == 0) {
    if (size > 1) note_fallback("alltoall", "3dmesh", "ring", "the ranks do not form layers of squares");
    co_await alltoall_ring(run, args);
    co_return;
  }
  const std::int64_t bytes = size * args.send_bytes();
  const Scratch sent(plane * bytes, kByte, args.receive);
  const int place = rank % plane, row = place / side * side, column = place % side;
  local_copy(args.send, size * args.send_count, args.send_type, sent.data() + place * bytes, bytes, kByte);
  co_await share(run, rank - place + row, 1, side, sent.data() + row * bytes, bytes);
  co_await share(run, rank - place + column, side, side, sent.data(), side * bytes);
  co_await exchange_between_planes(run, args, plane, sent.data(), Begin::kNext);
}

}  // namespace pysmpi
