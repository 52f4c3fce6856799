// SMPI's `impi` selector (SimGrid 3.32, src/smpi/colls/smpi_intel_mpi_selector.cpp): Intel MPI 4.1.3's choices, mapped
// to SMPI's algorithms. Some of Intel's algorithms are not public and are replaced by others.
#include "collectives/alltoall/alltoall.hpp"
#include "collectives/bcast/bcast.hpp"
#include "collectives/gather/gather.hpp"
#include "collectives/nodes.hpp"
#include "collectives/reduce/reduce.hpp"
#include "collectives/reduce_scatter/reduce_scatter.hpp"
#include "collectives/scatter/scatter.hpp"
#include "collectives/selectors/numbered.hpp"
#include "collectives/selectors/selectors.hpp"
#include "decision_tables.hpp"

namespace pysmpi {

namespace {

Schedule by_table(Runner& run, Arguments args, const DecisionRow* table, std::int64_t bytes,
                  const Numbered& algorithms) {
  co_await discover_nodes(run);
  const int number = look_up(table, run.size, bytes, ranks_on_each_node(run));
  co_await algorithms[number](run, args);
}

Schedule impi_barrier(Runner& run, Arguments args) {
  static const Numbered kAlgorithms(
      kBarrierCatalogue, {"ompi_basic_linear", "ompi_recursivedoubling", "ompi_basic_linear", "ompi_recursivedoubling",
                          "ompi_basic_linear", "ompi_basic_linear"});
  return by_table(run, args, impi::kBarrier, 1, kAlgorithms);
}

Schedule impi_bcast(Runner& run, Arguments args) {
  static const Numbered kAlgorithms({bcast_binomial, bcast_chain_from_0, bcast_chain_from_0, bcast_nodes_binomial,
                                     bcast_chain_from_0, bcast_nodes_chain, mvapich2_bcast});
  return by_table(run, args, impi::kBcast, args.receive_bytes(), kAlgorithms);
}

Schedule impi_reduce(Runner& run, Arguments args) {
  static const Numbered kAlgorithms({mvapich2_reduce, reduce_binomial, mvapich2_reduce, reduce_mvapich2_two_level,
                                     reduce_rabenseifner_1997, reduce_rabenseifner_1997});
  return by_table(run, args, impi::kReduce, args.receive_bytes(), kAlgorithms);
}

Schedule impi_allreduce(Runner& run, Arguments args) {
  static const Numbered kAlgorithms(
      kAllreduceCatalogue, {"rdb", "rab1", "redbcast", "mvapich2_two_level", "smp_binomial", "mvapich2_two_level",
                            "ompi_ring_segmented", "ompi_ring_segmented"});
  return by_table(run, args, impi::kAllreduce, args.receive_bytes(), kAlgorithms);
}

Schedule halving_if_commutative(Runner& run, Arguments args) {
  static const Algorithm kHalving = algorithm_named(kReduceScatterCatalogue, "ompi_basic_recursivehalving");
  return (args.reduction.commutative ? kHalving : mvapich2_reduce_scatter)(run, args);
}

Schedule impi_reduce_scatter(Runner& run, Arguments args) {
  static const Numbered kAlgorithms({halving_if_commutative, reduce_scatter_pairwise, reduce_scatter_recursive_doubling,
                                     default_reduce_scatter, default_reduce_scatter});
  return by_table(run, args, impi::kReduceScatter, args.total_receive_bytes(), kAlgorithms);
}

Schedule impi_gather(Runner& run, Arguments args) {
  static const Numbered kAlgorithms({gather_binomial, gather_binomial, mvapich2_gather});
  return by_table(run, args, impi::kGather, args.gather_bytes(run.rank), kAlgorithms);
}

Schedule impi_scatter(Runner& run, Arguments args) {
  static const Numbered kAlgorithms({scatter_binomial, scatter_binomial, mvapich2_scatter});
  return by_table(run, args, impi::kScatter, args.scatter_bytes(run.rank), kAlgorithms);
}

Schedule impi_allgather(Runner& run, Arguments args) {
  static const Numbered kAlgorithms(kAllgatherCatalogue, {"rdb", "bruck", "ring", "GB"});
  return by_table(run, args, impi::kAllgather, args.receive_bytes(), kAlgorithms);
}

Schedule impi_allgatherv(Runner& run, Arguments args) {
  static const Numbered kAlgorithms(kAllgathervCatalogue, {"mpich_rdb", "ompi_bruck", "ring", "GB"});
  return by_table(run, args, impi::kAllgatherv, args.total_receive_bytes(), kAlgorithms);
}

Schedule impi_alltoall(Runner& run, Arguments args) {
  static const Numbered kAlgorithms({alltoall_bruck, alltoall_scatter_dest, alltoall_pair, mvapich2_alltoall});
  return by_table(run, args, impi::kAlltoall, args.send_bytes(), kAlgorithms);
}

Schedule impi_alltoallv(Runner& run, Arguments args) {
  static const Numbered kAlgorithms(kAlltoallvCatalogue, {"ompi_basic_linear", "bruck"});
  return by_table(run, args, impi::kAlltoallv, 1, kAlgorithms);
}

}  // namespace

Algorithm impi_selector(Operation operation) {
  static const Choices kChoices = {
      .barrier = impi_barrier,
      .bcast = impi_bcast,
      .reduce = impi_reduce,
      .allreduce = impi_allreduce,
      .reduce_scatter = impi_reduce_scatter,
      .gather = impi_gather,
      .scatter = impi_scatter,
      .allgather = impi_allgather,
      .allgatherv = impi_allgatherv,
      .alltoall = impi_alltoall,
      .alltoallv = impi_alltoallv,
  };
  return kChoices.of(operation);
}

}  // namespace pysmpi
