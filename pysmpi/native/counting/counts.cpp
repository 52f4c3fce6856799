// Counts of the floating-point operations and operands of each rank's computation, and their C interface.
#include "counting/counts.hpp"

#include <algorithm>
#include <bit>

#include "counting/objects.hpp"
#include "engine/simulation.hpp"

namespace pysmpi {

pysmpi_counts* ComputationCounts::of_running_rank() {
  if (!on || !inside_rank()) return nullptr;
  const auto rank = static_cast<std::size_t>(running_fiber().rank);
  if (rank >= by_rank.size()) by_rank.resize(simulation().fibers.size());
  return &by_rank[rank];
}

ComputationCounts::OnMatrices& ComputationCounts::on_matrices(RankId rank) {
  if (static_cast<std::size_t>(rank) >= on_matrices_by_rank.size())
    on_matrices_by_rank.resize(simulation().fibers.size());
  return on_matrices_by_rank[static_cast<std::size_t>(rank)];
}

void ComputationCounts::count_call_of_blas(double flops, double bytes) {
  pysmpi_counts* const counts = of_running_rank();
  if (!counts) return;
  if (OnMatrices& operation = on_matrices(running_fiber().rank); operation.depth > 0) {
    operation.flops += flops;
    return;
  }
  counts->flops += flops;
  counts->accesses += bytes;
  ++counts->operations;
}

void ComputationCounts::call_begins(RankId rank) {
  if (!on) return;
  if (static_cast<std::size_t>(rank) >= objects_by_rank.size()) objects_by_rank.resize(simulation().fibers.size());
  if (std::has_single_bit(++objects_by_rank[static_cast<std::size_t>(rank)].calls)) note_objects(rank);
}

void ComputationCounts::note_objects(RankId rank) {
  if (!on) return;
  if (static_cast<std::size_t>(rank) >= objects_by_rank.size()) objects_by_rank.resize(simulation().fibers.size());
  std::int64_t& peak = objects_by_rank[static_cast<std::size_t>(rank)].peak;
  peak = std::max(peak, bytes_of_objects(static_cast<PyTypeObject*>(array_type)));
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

void pysmpi_note_objects(void) {
  if (inside_rank()) ComputationCounts::current().note_objects(running_fiber().rank);
}

void pysmpi_read_objects(int32_t ranks, int64_t* peaks) {
  auto& all = ComputationCounts::current().objects_by_rank;
  all.resize(simulation().fibers.size());
  for (int32_t rank = 0; rank < ranks; ++rank) peaks[rank] = all[rank].peak;
}
