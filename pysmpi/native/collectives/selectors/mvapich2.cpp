// SMPI's `mvapich2` selector (SimGrid 3.32, src/smpi/colls/smpi_mvapich2_selector.cpp), after MVAPICH2 1.9.
#include <cstdlib>

#include "collectives/allgather/allgather.hpp"
#include "collectives/allreduce/allreduce.hpp"
#include "collectives/bcast/bcast.hpp"
#include "collectives/gather/gather.hpp"
#include "collectives/nodes.hpp"
#include "collectives/reduce/reduce.hpp"
#include "collectives/scatter/scatter.hpp"
#include "collectives/selectors/numbered.hpp"
#include "collectives/selectors/selectors.hpp"
#include "collectives/sizes.hpp"
#include "decision_tables.hpp"

namespace pysmpi {

namespace {

// SMPI regards a communicator as placed node by node only after some collective has discovered its nodes.
bool known_to_be_consecutive(const Runner& run) {
  const NodeMap& map = node_map(run.communicator());
  return !run.in_part() && run.knows_nodes && map.consecutive;
}

struct LevelChoice {
  Algorithm algorithm;  // among all ranks, or among the leaders of nodes
  bool two_level;       // first within nodes, then among their leaders
};

LevelChoice level_choice(const Runner& run, const DecisionRow* table, std::int64_t bytes, const Numbered& algorithms,
                         std::int32_t ranks_per_node = 1) {
  const int number = look_up(table, run.size, bytes, ranks_per_node);
  return {algorithms[std::abs(number)], number < 0};
}

Schedule reduce_to_first(Runner& run, Arguments args) {
  args.root = 0;
  return collective(Operation::kReduce, run, args);
}

}  // namespace

Schedule mvapich2_bcast(Runner& run, Arguments args) {
  static const Numbered kAlgorithms(
      {mpich_bcast, bcast_binomial, bcast_scatter_ring_allgather, bcast_scatter_doubling_allgather});
  if (args.receive_count == 0) co_return;
  co_await discover_nodes(run);
  const auto [algorithm, two_level] = level_choice(run, mvapich2::kBcast, args.receive_bytes(), kAlgorithms);
  if (two_level && !run.in_part()) {
    co_await bcast_two_level(run, args, algorithm, mpich_bcast);
  } else {
    co_await algorithm(run, args);
  }
}

Schedule mvapich2_reduce(Runner& run, Arguments args) {
  static const Numbered kAlgorithms({reduce_knomial, reduce_binomial, reduce_scatter_gather, reduce_in_order});
  if (args.receive_count == 0) co_return;
  const auto [algorithm, two_level] = level_choice(run, mvapich2::kReduce, args.receive_bytes(), kAlgorithms);
  const bool by_tree = !args.reduction.commutative && (two_level || algorithm == reduce_knomial);
  const bool too_short = args.receive_count < power_of_two_up_to(run.size);
  if (by_tree || (!two_level && algorithm == reduce_scatter_gather && too_short)) {
    co_await reduce_binomial(run, args);
  } else if (two_level && (!run.in_part() || on_one_node(run))) {
    const int within = look_up(mvapich2::kReduceWithin, run.size, args.receive_bytes());
    co_await reduce_two_level(run, args, kAlgorithms[within], algorithm);
  } else {
    co_await algorithm(run, args);
  }
}

Schedule mvapich2_allreduce(Runner& run, Arguments args) {
  static const Numbered kAlgorithms(kAllreduceCatalogue, {"rdb", "mvapich2_rs"});
  if (args.receive_count == 0) co_return;
  const auto [algorithm, two_level] = level_choice(run, mvapich2::kAllreduce, args.receive_bytes(), kAlgorithms);
  if (two_level && !args.reduction.commutative) {
    co_await allreduce_recursive_doubling(run, args);
  } else if (two_level && !run.in_part()) {
    co_await allreduce_two_level(run, args, reduce_to_first, algorithm);
  } else {
    co_await algorithm(run, args);
  }
}

// Like SMPI, performs two reductions, one after the other, if the operation is not commutative, the counts are equal
// and the number of ranks is a power of two. The second one overwrites the result with the same values.
Schedule mvapich2_reduce_scatter(Runner& run, Arguments args) {
  static const Algorithm kHalving = algorithm_named(kReduceScatterCatalogue, "ompi_basic_recursivehalving"),
                         kPairwise = algorithm_named(kReduceScatterCatalogue, "mpich_pair"),
                         kInOrder = algorithm_named(kReduceScatterCatalogue, "mpich_noncomm"),
                         kDoubling = algorithm_named(kReduceScatterCatalogue, "mpich_rdb");
  static const Numbered kAlgorithms({default_reduce_scatter, kHalving, kPairwise});
  if (args.reduction.commutative) {
    co_await kAlgorithms[look_up(mvapich2::kReduceScatter, run.size, args.total_receive_bytes())](run, args);
    co_return;
  }
  if (is_power_of_two(run.size) && args.has_equal_receive_counts()) co_await kInOrder(run, args);
  co_await kDoubling(run, args);
}

Schedule mvapich2_gather(Runner& run, Arguments args) {
  static const Numbered kAlgorithms({gather_in_order, gather_binomial, gather_two_level});
  const std::int64_t block = args.gather_bytes(run.rank);
  const Algorithm algorithm = kAlgorithms[look_up(mvapich2::kGather, run.size, block)];
  if (!known_to_be_consecutive(run)) {
    co_await gather_binomial(run, args);
  } else if (algorithm == gather_two_level) {
    co_await gather_over_nodes(run, args, kAlgorithms[look_up(mvapich2::kGatherWithin, run.size, block)]);
  } else {
    co_await algorithm(run, args);
  }
}

Schedule mvapich2_scatter(Runner& run, Arguments args) {
  static const Numbered kAlgorithms(
      {scatter_binomial, scatter_in_order, scatter_two_level_in_order, scatter_two_level_binomial});
  co_await discover_nodes(run);
  const std::int64_t block = args.scatter_bytes(run.rank);
  const std::int32_t on_each = ranks_on_each_node(run);
  const Algorithm algorithm = kAlgorithms[look_up(mvapich2::kScatter, run.size, block, on_each)];
  const bool over_nodes = algorithm == scatter_two_level_in_order || algorithm == scatter_two_level_binomial;
  if (over_nodes && !known_to_be_consecutive(run)) {
    co_await scatter_binomial(run, args);
  } else if (over_nodes) {
    const Algorithm between = algorithm == scatter_two_level_in_order ? scatter_in_order : scatter_binomial;
    const int within = look_up(mvapich2::kScatterWithin, run.size, block, on_each);
    co_await scatter_over_nodes(run, args, between, kAlgorithms[within]);
  } else {
    co_await algorithm(run, args);
  }
}

Schedule mvapich2_allgather(Runner& run, Arguments args) {
  static const Numbered kAlgorithms(kAllgatherCatalogue, {"ring", "rdb"});
  co_await discover_nodes(run);
  const std::int32_t on_each = ranks_on_each_node(run);
  const bool tuned = on_each == 1 || on_each == 2 || on_each == 16;
  const auto [algorithm, two_level] =
      level_choice(run, mvapich2::kAllgather, args.receive_bytes(), kAlgorithms, on_each);
  if (!two_level) {
    co_await algorithm(run, args);
  } else if (!tuned) {
    co_await allgather_recursive_doubling(run, args);
  } else if (known_to_be_consecutive(run)) {
    co_await allgather_two_level(run, args);
  } else {
    co_await mpich_allgather(run, args);
  }
}

Schedule mvapich2_allgatherv(Runner& run, Arguments args) {
  static const Numbered kAlgorithms(kAllgathervCatalogue, {"mpich_rdb", "mpich_ring", "ompi_bruck"});
  const std::int64_t block = (args.total_receive_bytes() + run.size - 1) / run.size;
  const int number = look_up(mvapich2::kAllgatherv, run.size, block);
  return kAlgorithms[number == 1 && !is_power_of_two(run.size) ? 3 : number](run, args);
}

Schedule mvapich2_alltoall(Runner& run, Arguments args) {
  static const Numbered kAlgorithms(kAlltoallCatalogue, {"pair", "mvapich2_scatter_dest", "rdb", "bruck"});
  return kAlgorithms[look_up(mvapich2::kAlltoall, run.size, args.send_bytes())](run, args);
}

Schedule mvapich2_alltoallv(Runner& run, Arguments args) {
  static const Numbered kAlgorithms(kAlltoallvCatalogue, {"ring", "ompi_basic_linear"});
  return kAlgorithms[args.in_place ? 2 : 1](run, args);
}

Algorithm mvapich2_selector(Operation operation) {
  static const Choices kChoices = {
      .barrier = algorithm_named(kBarrierCatalogue, "mvapich2_pair"),
      .bcast = mvapich2_bcast,
      .reduce = mvapich2_reduce,
      .allreduce = mvapich2_allreduce,
      .reduce_scatter = mvapich2_reduce_scatter,
      .gather = mvapich2_gather,
      .scatter = mvapich2_scatter,
      .allgather = mvapich2_allgather,
      .allgatherv = mvapich2_allgatherv,
      .alltoall = mvapich2_alltoall,
      .alltoallv = mvapich2_alltoallv,
  };
  return kChoices.of(operation);
}

}  // namespace pysmpi
