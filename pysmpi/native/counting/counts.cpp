// Counts of what each rank computes, and their C interface.
#include "counting/counts.hpp"

#include "engine/simulation.hpp"

namespace pysmpi {

pysmpi_counts* ComputationCounts::of_running_rank() {
  if (!on || !inside_rank()) return nullptr;
  const auto rank = static_cast<std::size_t>(running_fiber().rank);
  if (rank >= by_rank.size()) by_rank.resize(simulation().fibers.size());
  return &by_rank[rank];
}

}  // namespace pysmpi

using namespace pysmpi;

void pysmpi_count(double flops, double special, double accesses) {
  pysmpi_counts* const counts = ComputationCounts::current().of_running_rank();
  if (!counts) return;
  counts->flops += flops;
  counts->special += special;
  counts->accesses += accesses;
  ++counts->operations;
}

void pysmpi_pause_counting(int32_t paused) { ComputationCounts::current().paused = paused != 0; }

void pysmpi_read_counts(int32_t ranks, pysmpi_counts* out) {
  auto& all = ComputationCounts::current().by_rank;
  all.resize(simulation().fibers.size());
  for (int32_t rank = 0; rank < ranks; ++rank) out[rank] = all[rank];
}
