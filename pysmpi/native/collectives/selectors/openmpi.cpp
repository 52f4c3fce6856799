// Open MPI 4.1's actual choices: the decision table of its component coll/tuned with its own algorithms, called without
// segments, and the choices of coll/basic for operations that coll/tuned leaves to it. Open MPI 5.0 makes the same
// choices on communicators that its HAN component (han.cpp) does not serve.
#include "collectives/allgather/allgather.hpp"
#include "collectives/allgatherv/allgatherv.hpp"
#include "collectives/reduce_scatter/reduce_scatter.hpp"
#include "collectives/selectors/openmpi_table.hpp"
#include "collectives/selectors/selectors.hpp"
#include "collectives/sizes.hpp"

namespace pysmpi {

namespace {

using openmpi::by_table;
using openmpi::Names;
using openmpi::unless_in_place;

constexpr Names kBarrier = {
    Operation::kBarrier,
    {"ompi_basic_linear", "ompi_doublering", "openmpi_recursivedoubling", "ompi_bruck", "ompi_two_procs", "ompi_tree"}};
constexpr Names kBcast = {
    Operation::kBcast,
    {"flattree", "openmpi_chain", "openmpi_chain", "openmpi_split_binary_tree", "openmpi_binary_tree",
     "openmpi_binomial", "knomial-k", "openmpi_scatter_allgather", "openmpi_scatter_allgather_ring"}};
constexpr Names kReduce = {Operation::kReduce,
                           {"ompi_basic_linear", "openmpi_chain", "openmpi_chain", "openmpi_binary", "openmpi_binomial",
                            "openmpi_in_order_binary", "openmpi_rabenseifner"}};
constexpr Names kAllreduce = {
    Operation::kAllreduce,
    {"openmpi_basic_linear", "redbcast", "openmpi_rdb", "openmpi_ring", "openmpi_ring", "openmpi_rabenseifner"}};
constexpr Names kReduceScatter = {
    Operation::kReduceScatter,
    {"ompi_nonoverlapping", "ompi_basic_recursivehalving", "openmpi_ring", "ompi_butterfly"}};
constexpr const char* kReduceScatterBlock[] = {"openmpi_block_linear", "mpich_rdb", "ompi_basic_recursivehalving",
                                               "ompi_butterfly", "mpich_noncomm"};
constexpr Names kGather = {Operation::kGather, {"ompi_basic_linear", "ompi_binomial", "ompi_linear_sync"}};
constexpr Names kScatter = {Operation::kScatter, {"ompi_basic_linear", "ompi_binomial", "ompi_linear_nb"}};
constexpr Names kAllgather = {Operation::kAllgather, {"GB", "bruck", "rdb", "NTSLR", "ompi_neighborexchange", "pair"}};
constexpr Names kAllgatherv = {Operation::kAllgatherv,
                               {"GB", "ompi_bruck", "openmpi_ring", "ompi_neighborexchange", "pair"}};
constexpr Names kAlltoall = {Operation::kAlltoall,
                             {"basic_linear", "ring", "bruck", "ompi_linear_sync", "ompi_two_proc"}};
constexpr Names kAlltoallv = {Operation::kAlltoallv, {"openmpi_basic_linear", "openmpi_pairwise"}};

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
  openmpi::notify_choice(Operation::kAllgatherv, "openmpi_ring");
  return allgatherv_openmpi_ring(run, args);
}

// On a power-of-two number of ranks, the butterfly of MPI_Reduce_scatter_block has the blocks in mirrored order, as
// mpich_noncomm has.
Schedule openmpi_reduce_scatter(Runner& run, Arguments args) {
  if (args.receive_counts) return by_table<kReduceScatter>(run, args);
  static const Numbered kAlgorithms(kReduceScatterCatalogue, kReduceScatterBlock);
  int number = openmpi::number_for_reduce_scatter_block(run, args);
  if (number == 4 && is_power_of_two(run.size)) number = 5;
  openmpi::notify_choice(Operation::kReduceScatter, kReduceScatterBlock[number - 1]);
  return kAlgorithms[number](run, args);
}

}  // namespace

Algorithm openmpi41_selector(Operation operation) {
  using openmpi::with_data;
  static const Choices kChoices = openmpi::with_basic({
      .barrier = by_table<kBarrier>,
      .bcast = with_data<Operation::kBcast, by_table<kBcast>>,
      .reduce = with_data<Operation::kReduce, by_table<kReduce>>,
      .allreduce = with_data<Operation::kAllreduce, by_table<kAllreduce>>,
      .reduce_scatter = with_data<Operation::kReduceScatter, openmpi_reduce_scatter>,
      .gather = with_data<Operation::kGather, by_table<kGather>>,
      .scatter = with_data<Operation::kScatter, by_table<kScatter>>,
      .allgather = with_data<Operation::kAllgather, openmpi_allgather>,
      .allgatherv = with_data<Operation::kAllgatherv, openmpi_allgatherv>,
      .alltoall = with_data<Operation::kAlltoall, unless_in_place<Operation::kAlltoall, by_table<kAlltoall>>>,
      .alltoallv = unless_in_place<Operation::kAlltoallv, by_table<kAlltoallv>>,
  });
  return kChoices.of(operation);
}

}  // namespace pysmpi
