// SMPI's `ompi` selector (SimGrid 3.32, src/smpi/colls/smpi_openmpi_selector.cpp): Open MPI's decision table with
// SMPI's algorithms, some of which replace algorithms that SMPI lacks.
#include "collectives/selectors/openmpi_table.hpp"
#include "collectives/selectors/selectors.hpp"

namespace pysmpi {

namespace {

using openmpi::by_table;
using openmpi::Names;

constexpr Names kBarrier = {
    Operation::kBarrier,
    {"ompi_basic_linear", "ompi_basic_linear", "ompi_recursivedoubling", "ompi_bruck", "ompi_two_procs", "ompi_tree"}};
constexpr Names kBcast = {Operation::kBcast,
                          {"NTSL", "ompi_pipeline", "ompi_pipeline", "ompi_split_bintree", "NTSB", "binomial_tree",
                           "mvapich2_knomial_intra_node", "scatter_rdb_allgather", "scatter_LR_allgather"}};
constexpr Names kReduce = {Operation::kReduce,
                           {"ompi_basic_linear", "ompi_chain", "ompi_pipeline", "ompi_binary", "ompi_binomial",
                            "ompi_in_order_binary", "ompi_basic_linear"}};
constexpr Names kAllreduce = {Operation::kAllreduce,
                              {"redbcast", "redbcast", "rdb", "lr", "ompi_ring_segmented", "rab_rdb"}};
constexpr Names kGather = {Operation::kGather, {"ompi_basic_linear", "ompi_binomial", "ompi_linear_sync"}};
constexpr Names kScatter = {Operation::kScatter, {"ompi_basic_linear", "ompi_binomial", "ompi_linear_nb"}};
constexpr Names kAllgather = {Operation::kAllgather,
                              {"NTSLR_NB", "bruck", "rdb", "ring", "ompi_neighborexchange", "pair"}};
constexpr Names kAllgatherv = {Operation::kAllgatherv,
                               {"GB", "ompi_bruck", "mpich_ring", "ompi_neighborexchange", "pair"}};
constexpr Names kAlltoall = {Operation::kAlltoall, {"basic_linear", "pair", "bruck", "basic_linear", "basic_linear"}};
constexpr Names kAlltoallv = {Operation::kAlltoallv, {"ompi_basic_linear", "pair"}};
constexpr Names kReduceScatter = {
    Operation::kReduceScatter, {"ompi_nonoverlapping", "ompi_basic_recursivehalving", "ompi_ring", "ompi_butterfly"}};

// Where Open MPI's table gives algorithm 1, SMPI uses the choice of its `default` selector.
Schedule ompi_reduce_scatter(Runner& run, Arguments args) {
  const bool by_default = openmpi::number_for(Operation::kReduceScatter, run, args) == 1;
  return (by_default ? default_reduce_scatter : by_table<kReduceScatter>)(run, args);
}

}  // namespace

Schedule ompi_allreduce(Runner& run, Arguments args) { return by_table<kAllreduce>(run, args); }

Schedule ompi_alltoall(Runner& run, Arguments args) { return by_table<kAlltoall>(run, args); }

Algorithm ompi_selector(Operation operation) {
  static constexpr Choices kChoices = {
      .barrier = by_table<kBarrier>,
      .bcast = by_table<kBcast>,
      .reduce = by_table<kReduce>,
      .allreduce = by_table<kAllreduce>,
      .reduce_scatter = ompi_reduce_scatter,
      .gather = by_table<kGather>,
      .scatter = by_table<kScatter>,
      .allgather = by_table<kAllgather>,
      .allgatherv = by_table<kAllgatherv>,
      .alltoall = by_table<kAlltoall>,
      .alltoallv = by_table<kAlltoallv>,
  };
  return kChoices.of(operation);
}

}  // namespace pysmpi
