// SMPI's `mpich` selector (SimGrid 3.32, src/smpi/colls/smpi_mpich_selector.cpp), after MPICH 3.
#include "collectives/reduce_scatter/reduce_scatter.hpp"
#include "collectives/selectors/selectors.hpp"
#include "collectives/selectors/table.hpp"

namespace pysmpi {

// SMPI compares elements, not bytes, with MPICH's 512 KiB.
Schedule mpich_reduce_scatter(Runner& run, Arguments a) {
  const std::int32_t size = run.size;
  std::int64_t elements = 0;
  for (int i = 0; i < size; ++i) elements += a.receive_count_of(i);
  if (a.reduction.commutative && elements > 512 * kKiB) return reduce_scatter_pairwise(run, a);
  const bool power_of_two = (size & (size - 1)) == 0;
  if (!a.reduction.commutative && power_of_two && a.has_equal_receive_counts()) {
    return reduce_scatter_halving_in_order(run, a);
  }
  return reduce_scatter_recursive_doubling(run, a);
}

}  // namespace pysmpi
