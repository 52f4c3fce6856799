// SMPI's `ompi` selector (SimGrid 3.32, src/smpi/colls/smpi_openmpi_selector.cpp): Open MPI's decision table with
// SMPI's algorithms, which stand in for some that SMPI does not have.
#include "collectives/selectors/numbered.hpp"
#include "collectives/selectors/openmpi_table.hpp"
#include "collectives/selectors/selectors.hpp"

namespace pysmpi {

Schedule ompi_barrier(Runner& run, Arguments a) {
  static const Numbered kAlgorithms(kBarrierCatalogue,
                                    {"ompi_basic_linear", "ompi_basic_linear", "ompi_recursivedoubling", "ompi_bruck",
                                     "ompi_two_procs", "ompi_tree"});
  return kAlgorithms[openmpi::barrier(run.size)](run, a);
}

Schedule ompi_bcast(Runner& run, Arguments a) {
  static const Numbered kAlgorithms(
      kBcastCatalogue, {"NTSL", "ompi_pipeline", "ompi_pipeline", "ompi_split_bintree", "NTSB", "binomial_tree",
                        "mvapich2_knomial_intra_node", "scatter_rdb_allgather", "scatter_LR_allgather"});
  return kAlgorithms[openmpi::bcast(run.size, a.receive_bytes())](run, a);
}

Schedule ompi_reduce(Runner& run, Arguments a) {
  static const Numbered kAlgorithms(kReduceCatalogue,
                                    {"ompi_basic_linear", "ompi_chain", "ompi_pipeline", "ompi_binary", "ompi_binomial",
                                     "ompi_in_order_binary", "ompi_basic_linear"});
  return kAlgorithms[openmpi::reduce(run.size, a.receive_bytes(), a.reduction.commutative)](run, a);
}

Schedule ompi_allreduce(Runner& run, Arguments a) {
  static const Numbered kAlgorithms(kAllreduceCatalogue,
                                    {"redbcast", "redbcast", "rdb", "lr", "ompi_ring_segmented", "rab_rdb"});
  return kAlgorithms[openmpi::allreduce(run.size, a.receive_bytes(), a.reduction.commutative)](run, a);
}

Schedule ompi_reduce_scatter(Runner& run, Arguments a) {
  static const Numbered kAlgorithms(kReduceScatterCatalogue,
                                    {"ompi_basic_recursivehalving", "ompi_ring", "ompi_butterfly"});
  const int number = openmpi::reduce_scatter(run.size, a.total_receive_bytes(), a.reduction.commutative);
  return (number == 1 ? default_reduce_scatter : kAlgorithms[number - 1])(run, a);
}

Schedule ompi_gather(Runner& run, Arguments a) {
  static const Numbered kAlgorithms(kGatherCatalogue, {"ompi_basic_linear", "ompi_binomial", "ompi_linear_sync"});
  const std::int64_t block = run.rank == a.root ? a.receive_bytes() : a.send_bytes();
  return kAlgorithms[openmpi::gather(run.size, block)](run, a);
}

Schedule ompi_scatter(Runner& run, Arguments a) {
  static const Numbered kAlgorithms(kScatterCatalogue, {"ompi_basic_linear", "ompi_binomial", "ompi_linear_nb"});
  const std::int64_t block = run.rank == a.root ? a.send_bytes() : a.receive_bytes();
  return kAlgorithms[openmpi::scatter(run.size, block)](run, a);
}

Schedule ompi_allgather(Runner& run, Arguments a) {
  static const Numbered kAlgorithms(kAllgatherCatalogue,
                                    {"NTSLR_NB", "bruck", "rdb", "ring", "ompi_neighborexchange", "pair"});
  return kAlgorithms[openmpi::allgather(run.size, a.send_bytes())](run, a);
}

Schedule ompi_allgatherv(Runner& run, Arguments a) {
  static const Numbered kAlgorithms(kAllgathervCatalogue,
                                    {"GB", "ompi_bruck", "mpich_ring", "ompi_neighborexchange", "pair"});
  return kAlgorithms[openmpi::allgatherv(run.size, a.total_receive_bytes())](run, a);
}

Schedule ompi_alltoall(Runner& run, Arguments a) {
  static const Numbered kAlgorithms(kAlltoallCatalogue,
                                    {"basic_linear", "pair", "bruck", "basic_linear", "basic_linear"});
  return kAlgorithms[openmpi::alltoall(run.size, a.send_bytes())](run, a);
}

Schedule ompi_alltoallv(Runner& run, Arguments a) {
  static const Numbered kAlgorithms(kAlltoallvCatalogue, {"ompi_basic_linear", "pair"});
  return kAlgorithms[openmpi::alltoallv(run.size)](run, a);
}

Algorithm ompi_selector(Operation operation) {
  switch (operation) {
    case Operation::kBarrier:
      return ompi_barrier;
    case Operation::kBcast:
      return ompi_bcast;
    case Operation::kReduce:
      return ompi_reduce;
    case Operation::kAllreduce:
      return ompi_allreduce;
    case Operation::kReduceScatter:
      return ompi_reduce_scatter;
    case Operation::kGather:
      return ompi_gather;
    case Operation::kScatter:
      return ompi_scatter;
    case Operation::kAllgather:
      return ompi_allgather;
    case Operation::kAllgatherv:
      return ompi_allgatherv;
    case Operation::kAlltoall:
      return ompi_alltoall;
    case Operation::kAlltoallv:
      return ompi_alltoallv;
    default:
      return default_selector(operation);
  }
}

}  // namespace pysmpi
