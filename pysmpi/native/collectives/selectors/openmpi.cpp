// Open MPI 4.1's actual choices (coll/tuned of 4.1.2): its decision table with its own algorithms, called without
// segments. Open MPI 5.0 makes the same choices on communicators that its HAN component (han.cpp) does not serve.
#include "collectives/allgather/allgather.hpp"
#include "collectives/allgatherv/allgatherv.hpp"
#include "collectives/selectors/openmpi_table.hpp"
#include "collectives/selectors/selectors.hpp"
#include "collectives/sizes.hpp"

namespace pysmpi {

namespace {

using openmpi::by_table;
using openmpi::Names;

constexpr Names kBarrier = {
    Operation::kBarrier,
    {"ompi_basic_linear", "ompi_doublering", "openmpi_recursivedoubling", "ompi_bruck", "ompi_two_procs", "ompi_tree"}};
constexpr Names kBcast = {
    Operation::kBcast,
    {"flattree", "openmpi_chain", "openmpi_chain", "openmpi_split_binary_tree", "openmpi_binary_tree",
     "openmpi_binomial", "knomial-k", "openmpi_scatter_allgather", "openmpi_scatter_allgather_ring"}};
constexpr Names kReduce = {Operation::kReduce,
                           {"ompi_basic_linear", "openmpi_chain", "openmpi_chain", "openmpi_binary", "openmpi_binomial",
                            "ompi_in_order_binary", "openmpi_rabenseifner"}};
constexpr Names kAllreduce = {Operation::kAllreduce,
                              {"openmpi_basic_linear", "redbcast", "rdb", "lr", "lr", "openmpi_rabenseifner"}};
constexpr Names kReduceScatter = {
    Operation::kReduceScatter, {"ompi_nonoverlapping", "ompi_basic_recursivehalving", "ompi_ring", "ompi_butterfly"}};
constexpr Names kGather = {Operation::kGather, {"ompi_basic_linear", "ompi_binomial", "ompi_linear_sync"}};
constexpr Names kScatter = {Operation::kScatter, {"ompi_basic_linear", "ompi_binomial", "ompi_linear_nb"}};
constexpr Names kAllgather = {Operation::kAllgather, {"GB", "bruck", "rdb", "NTSLR", "ompi_neighborexchange", "pair"}};
constexpr Names kAllgatherv = {Operation::kAllgatherv,
                               {"GB", "ompi_bruck", "mpich_ring", "ompi_neighborexchange", "pair"}};
constexpr Names kAlltoall = {Operation::kAlltoall,
                             {"basic_linear", "ring", "bruck", "ompi_linear_sync", "ompi_two_proc"}};
constexpr Names kAlltoallv = {Operation::kAlltoallv, {"ompi_basic_linear", "ompi_pairwise"}};

// If the number of ranks is not a power of two, recursive doubling (algorithm 3) falls back to Bruck's algorithm. If it
// is odd, neighbour exchange (algorithm 5) falls back to the ring.
Schedule openmpi_allgather(Runner& run, Arguments args) {
  const int number = openmpi::number_for(Operation::kAllgather, run, args);
  const bool is_bruck = number == 3 && !is_power_of_two(run.size), is_ring = number == 5 && run.size % 2 != 0;
  if (!is_bruck && !is_ring) return by_table<kAllgather>(run, args);
  openmpi::notify_choice(Operation::kAllgather, is_bruck ? "bruck" : "NTSLR");
  return (is_bruck ? allgather_bruck : allgather_ring)(run, args);
}

Schedule openmpi_allgatherv(Runner& run, Arguments args) {
  const int number = openmpi::number_for(Operation::kAllgatherv, run, args);
  if (number != 4 || run.size % 2 == 0) return by_table<kAllgatherv>(run, args);
  openmpi::notify_choice(Operation::kAllgatherv, "mpich_ring");
  return allgatherv_ring(run, args);
}

}  // namespace

Algorithm openmpi41_selector(Operation operation) {
  static constexpr Choices kChoices = {
      .barrier = by_table<kBarrier>,
      .bcast = by_table<kBcast>,
      .reduce = by_table<kReduce>,
      .allreduce = by_table<kAllreduce>,
      .reduce_scatter = by_table<kReduceScatter>,
      .gather = by_table<kGather>,
      .scatter = by_table<kScatter>,
      .allgather = openmpi_allgather,
      .allgatherv = openmpi_allgatherv,
      .alltoall = by_table<kAlltoall>,
      .alltoallv = by_table<kAlltoallv>,
  };
  return kChoices.of(operation);
}

}  // namespace pysmpi
