// What Open MPI 4.1 really does (coll/tuned of 4.1.2): its decision table, and its own algorithms, which the table
// calls without segments. 5.0 does the same on communicators that its HAN component (han.cpp) does not serve.
#include "collectives/selectors/numbered.hpp"
#include "collectives/selectors/openmpi_table.hpp"
#include "collectives/selectors/selectors.hpp"

namespace pysmpi {

namespace {

Schedule openmpi_barrier(Runner& run, Arguments a) {
  static const Numbered kAlgorithms(
      kBarrierCatalogue,
      {"ompi_basic_linear", "ompi_doublering", "ompi_recursivedoubling", "ompi_bruck", "ompi_two_procs", "ompi_tree"});
  return kAlgorithms[openmpi::barrier(run.size)](run, a);
}

Schedule openmpi_bcast(Runner& run, Arguments a) {
  static const Numbered kAlgorithms(
      kBcastCatalogue,
      {"flattree", "openmpi_chain", "openmpi_chain", "openmpi_split_binary_tree", "openmpi_binary_tree",
       "openmpi_binomial", "knomial-k", "openmpi_scatter_allgather", "openmpi_scatter_allgather_ring"});
  return kAlgorithms[openmpi::bcast(run.size, a.receive_bytes())](run, a);
}

Schedule openmpi_reduce(Runner& run, Arguments a) {
  static const Numbered kAlgorithms(
      kReduceCatalogue, {"ompi_basic_linear", "openmpi_chain", "openmpi_chain", "openmpi_binary", "openmpi_binomial",
                         "ompi_in_order_binary", "openmpi_rabenseifner"});
  return kAlgorithms[openmpi::reduce(run.size, a.receive_bytes(), a.reduction.commutative)](run, a);
}

Schedule openmpi_allreduce(Runner& run, Arguments a) {
  static const Numbered kAlgorithms(kAllreduceCatalogue,
                                    {"openmpi_basic_linear", "redbcast", "rdb", "lr", "lr", "openmpi_rabenseifner"});
  return kAlgorithms[openmpi::allreduce(run.size, a.receive_bytes(), a.reduction.commutative)](run, a);
}

Schedule openmpi_reduce_scatter(Runner& run, Arguments a) {
  static const Numbered kAlgorithms(kReduceScatterCatalogue,
                                    {"ompi_basic_recursivehalving", "ompi_ring", "ompi_butterfly"});
  const int number = openmpi::reduce_scatter(run.size, a.total_receive_bytes(), a.reduction.commutative);
  return (number == 1 ? default_reduce_scatter : kAlgorithms[number - 1])(run, a);
}

Schedule openmpi_gather(Runner& run, Arguments a) {
  static const Numbered kAlgorithms(kGatherCatalogue, {"ompi_basic_linear", "ompi_binomial", "ompi_linear_sync"});
  return kAlgorithms[openmpi::gather(run.size, run.rank == a.root ? a.receive_bytes() : a.send_bytes())](run, a);
}

Schedule openmpi_scatter(Runner& run, Arguments a) {
  static const Numbered kAlgorithms(kScatterCatalogue, {"ompi_basic_linear", "ompi_binomial", "ompi_linear_nb"});
  return kAlgorithms[openmpi::scatter(run.size, run.rank == a.root ? a.send_bytes() : a.receive_bytes())](run, a);
}

Schedule openmpi_allgather(Runner& run, Arguments a) {
  static const Numbered kAlgorithms(kAllgatherCatalogue,
                                    {"GB", "bruck", "rdb", "NTSLR", "ompi_neighborexchange", "pair"});
  int number = openmpi::allgather(run.size, a.send_bytes());
  const bool power_of_two = (run.size & (run.size - 1)) == 0;
  if (number == 3 && !power_of_two) number = 2;
  if (number == 5 && run.size % 2 != 0) number = 4;
  return kAlgorithms[number](run, a);
}

Schedule openmpi_allgatherv(Runner& run, Arguments a) {
  static const Numbered kAlgorithms(kAllgathervCatalogue,
                                    {"GB", "ompi_bruck", "mpich_ring", "ompi_neighborexchange", "pair"});
  int number = openmpi::allgatherv(run.size, a.total_receive_bytes());
  if (number == 4 && run.size % 2 != 0) number = 3;
  return kAlgorithms[number](run, a);
}

Schedule openmpi_alltoall(Runner& run, Arguments a) {
  static const Numbered kAlgorithms(kAlltoallCatalogue,
                                    {"basic_linear", "ring", "bruck", "basic_linear", "ompi_two_proc"});
  return kAlgorithms[openmpi::alltoall(run.size, a.send_bytes())](run, a);
}

Schedule openmpi_alltoallv(Runner& run, Arguments a) {
  static const Numbered kAlgorithms(kAlltoallvCatalogue, {"ompi_basic_linear", "ompi_pairwise"});
  return kAlgorithms[openmpi::alltoallv(run.size)](run, a);
}

}  // namespace

Algorithm openmpi41_selector(Operation operation) {
  switch (operation) {
    case Operation::kBarrier:
      return openmpi_barrier;
    case Operation::kBcast:
      return openmpi_bcast;
    case Operation::kReduce:
      return openmpi_reduce;
    case Operation::kAllreduce:
      return openmpi_allreduce;
    case Operation::kReduceScatter:
      return openmpi_reduce_scatter;
    case Operation::kGather:
      return openmpi_gather;
    case Operation::kScatter:
      return openmpi_scatter;
    case Operation::kAllgather:
      return openmpi_allgather;
    case Operation::kAllgatherv:
      return openmpi_allgatherv;
    case Operation::kAlltoall:
      return openmpi_alltoall;
    case Operation::kAlltoallv:
      return openmpi_alltoallv;
    default:
      return default_selector(operation);
  }
}

}  // namespace pysmpi
