// SMPI's `ompi` selector (SimGrid 3.32, src/smpi/colls/smpi_openmpi_selector.cpp): Open MPI's decision table with
// SMPI's algorithms, some of which replace algorithms that SMPI lacks.
#include "collectives/selectors/openmpi_table.hpp"
#include "collectives/selectors/selectors.hpp"

namespace pysmpi {

namespace {

using openmpi::by_table;
using openmpi::Names;

constexpr Names kSmpiBarrier = {
    Operation::kBarrier,
    {"ompi_basic_linear", "ompi_basic_linear", "ompi_recursivedoubling", "ompi_bruck", "ompi_two_procs", "ompi_tree"}};
constexpr Names kSmpiBcast = {Operation::kBcast,
                              {"NTSL", "ompi_pipeline", "ompi_pipeline", "ompi_split_bintree", "NTSB", "binomial_tree",
                               "mvapich2_knomial_intra_node", "scatter_rdb_allgather", "scatter_LR_allgather"}};
constexpr Names kSmpiReduce = {Operation::kReduce,
                               {"ompi_basic_linear", "ompi_chain", "ompi_pipeline", "ompi_binary", "ompi_binomial",
                                "ompi_in_order_binary", "ompi_basic_linear"}};
constexpr Names kSmpiAllreduce = {Operation::kAllreduce,
                                  {"redbcast", "redbcast", "rdb", "lr", "ompi_ring_segmented", "rab_rdb"}};
constexpr Names kSmpiGather = {Operation::kGather, {"ompi_basic_linear", "ompi_binomial", "ompi_linear_sync"}};
constexpr Names kSmpiScatter = {Operation::kScatter, {"ompi_basic_linear", "ompi_binomial", "ompi_linear_nb"}};
constexpr Names kSmpiAllgather = {Operation::kAllgather,
                                  {"NTSLR_NB", "bruck", "rdb", "ring", "ompi_neighborexchange", "pair"}};
constexpr Names kSmpiAllgatherv = {Operation::kAllgatherv,
                                   {"GB", "ompi_bruck", "mpich_ring", "ompi_neighborexchange", "pair"}};
constexpr Names kSmpiAlltoall = {Operation::kAlltoall,
                                 {"basic_linear", "pair", "bruck", "basic_linear", "basic_linear"}};
constexpr Names kSmpiAlltoallv = {Operation::kAlltoallv, {"ompi_basic_linear", "pair"}};
constexpr Names kSmpiReduceScatter = {
    Operation::kReduceScatter, {"ompi_nonoverlapping", "ompi_basic_recursivehalving", "ompi_ring", "ompi_butterfly"}};

// Where Open MPI's table gives algorithm 1, SMPI uses the choice of its `default` selector.
Schedule ompi_reduce_scatter(Runner& run, Arguments args) {
  const bool by_default = openmpi::number_for(Operation::kReduceScatter, run, args) == 1;
  return (by_default ? default_reduce_scatter : by_table<kSmpiReduceScatter>)(run, args);
}

}  // namespace

Schedule ompi_allreduce(Runner& run, Arguments args) { return by_table<kSmpiAllreduce>(run, args); }

Schedule ompi_alltoall(Runner& run, Arguments args) { return by_table<kSmpiAlltoall>(run, args); }

Algorithm ompi_selector(Operation operation) {
  static constexpr Choices kChoices = {
      .barrier = by_table<kSmpiBarrier>,
      .bcast = by_table<kSmpiBcast>,
      .reduce = by_table<kSmpiReduce>,
      .allreduce = by_table<kSmpiAllreduce>,
      .reduce_scatter = ompi_reduce_scatter,
      .gather = by_table<kSmpiGather>,
      .scatter = by_table<kSmpiScatter>,
      .allgather = by_table<kSmpiAllgather>,
      .allgatherv = by_table<kSmpiAllgatherv>,
      .alltoall = by_table<kSmpiAlltoall>,
      .alltoallv = by_table<kSmpiAlltoallv>,
  };
  return kChoices.of(operation);
}

}  // namespace pysmpi
