// SMPI's `ompi` selector (SimGrid 3.32, src/smpi/colls/smpi_openmpi_selector.cpp): Open MPI's decision table with
// SMPI's algorithms, which stand in for some that SMPI does not have.
#include "collectives/allreduce/allreduce.hpp"
#include "collectives/alltoall/alltoall.hpp"
#include "collectives/selectors/openmpi_table.hpp"
#include "collectives/selectors/selectors.hpp"

namespace pysmpi {

Schedule ompi_allreduce(Runner& run, Arguments a) {
  static constexpr Algorithm kAlgorithms[] = {
      allreduce_reduce_bcast, allreduce_reduce_bcast,   allreduce_recursive_doubling,
      allreduce_ring,         allreduce_segmented_ring, allreduce_rabenseifner,
  };
  return kAlgorithms[openmpi::allreduce(run.size, a.receive_bytes(), a.reduction.commutative) - 1](run, a);
}

Schedule ompi_alltoall(Runner& run, Arguments a) {
  static constexpr Algorithm kAlgorithms[] = {alltoall_linear, alltoall_pairwise, alltoall_bruck, alltoall_linear,
                                              alltoall_linear};
  return kAlgorithms[openmpi::alltoall(run.size, a.send_bytes()) - 1](run, a);
}

}  // namespace pysmpi
