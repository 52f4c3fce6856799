// Allgatherv as a gatherv to rank 0 followed by a broadcast.
#include "collectives/allgatherv/allgatherv.hpp"
#include "collectives/allgatherv/blocks.hpp"

namespace pysmpi {

// Gaps between blocks are not broadcast and keep their contents, because ranks may store their blocks at different
// positions.
Schedule allgatherv_gather_bcast(Runner& run, Arguments a) {
  a.root = 0;
  a.at_root = run.rank == 0;
  co_await collective(Operation::kGatherv, run, a);

  const std::int64_t extent = a.receive_extent();
  std::int64_t total = 0;
  bool in_row = true;
  for (int i = 0; i < run.size; ++i) {
    in_row = in_row && a.receive_displacements[i] == total;
    total += a.receive_counts[i];
  }
  Arguments whole;
  whole.root = 0;
  whole.at_root = a.at_root;
  whole.receive_count = total;
  whole.receive_type = a.receive_type;
  if (in_row) {
    whole.receive = a.receive;
    co_await collective(Operation::kBcast, run, whole);
    co_return;
  }
  const Scratch joined(total, a.receive_type, a.receive);
  const auto each = [&](auto&& visit) {
    char* place = joined.data();
    for (int i = 0; i < run.size; ++i) {
      visit(block_of(a, i), place, a.receive_counts[i]);
      place += a.receive_counts[i] * extent;
    }
  };
  if (a.at_root) {
    each([&a](char* block, char* place, std::int64_t count) {
      copy(block, count, a.receive_type, place, count, a.receive_type);
    });
  }
  whole.receive = joined.data();
  co_await collective(Operation::kBcast, run, whole);
  if (!a.at_root) {
    each([&a](char* block, char* place, std::int64_t count) {
      copy(place, count, a.receive_type, block, count, a.receive_type);
    });
  }
}

}  // namespace pysmpi
