// Allgatherv as a gatherv to rank 0 followed by a broadcast.
#include "collectives/allgatherv/allgatherv.hpp"
#include "collectives/allgatherv/blocks.hpp"

namespace pysmpi {

// Ranks may store the blocks at different positions, and the gaps between blocks must keep their contents. If there are
// gaps or the order differs, the blocks are therefore copied side by side before the broadcast, and back afterwards.
Schedule allgatherv_gather_bcast(Runner& run, Arguments args) {
  args.root = 0;
  args.at_root = run.rank == 0;
  co_await collective(Operation::kGatherv, run, args);

  const std::int64_t extent = args.receive_extent();
  std::int64_t total = 0;
  bool in_row = true;
  for (int i = 0; i < run.size; ++i) {
    in_row = in_row && args.receive_displacements[i] == total;
    total += args.receive_counts[i];
  }
  Arguments whole;
  whole.root = 0;
  whole.at_root = args.at_root;
  whole.receive_count = total;
  whole.receive_type = args.receive_type;
  if (in_row) {
    whole.receive = args.receive;
    co_await collective(Operation::kBcast, run, whole);
    co_return;
  }
  const Scratch joined(total, args.receive_type, args.receive);
  const auto each = [&](auto&& visit) {
    char* place = joined.data();
    for (int i = 0; i < run.size; ++i) {
      visit(block_of(args, i), place, args.receive_counts[i]);
      place += args.receive_counts[i] * extent;
    }
  };
  if (args.at_root) {
    each([&args](char* block, char* place, std::int64_t count) {
      local_copy(block, count, args.receive_type, place, count, args.receive_type);
    });
  }
  whole.receive = joined.data();
  co_await collective(Operation::kBcast, run, whole);
  if (!args.at_root) {
    each([&args](char* block, char* place, std::int64_t count) {
      local_copy(place, count, args.receive_type, block, count, args.receive_type);
    });
  }
}

}  // namespace pysmpi
