// Open MPI 4.0's own choices (coll_tuned_decision_fixed.c of 4.0, which chooses as 1.3 to 3.1 do). They were replaced
// in 4.1 (openmpi.cpp). The reductions' algorithms know the segments of this table.
#include "collectives/allgather/allgather.hpp"
#include "collectives/allgatherv/allgatherv.hpp"
#include "collectives/barrier/barrier.hpp"
#include "collectives/bcast/bcast.hpp"
#include "collectives/selectors/openmpi_table.hpp"
#include "collectives/selectors/selectors.hpp"
#include "collectives/sizes.hpp"

namespace pysmpi {

namespace {

template <const Catalogue& catalogue>
Schedule by_name(const char* name, Runner& run, const Arguments& args) {
  return algorithm_named(catalogue, name)(run, args);
}

Schedule choose_barrier(Runner& run, Arguments args) {
  return (is_power_of_two(run.size) ? barrier_openmpi_recursive_doubling : barrier_bruck)(run, args);
}

Schedule choose_bcast(Runner& run, Arguments args) {
  const std::int64_t bytes = args.receive_bytes();
  const auto size = static_cast<double>(bytes);
  const auto ranks_below = [&run](double limit) { return run.size < limit; };
  args.parameter = 0;
  if (bytes < 2048 || args.receive_count <= 1) return bcast_high_binomial(run, args);
  args.parameter = 1024;
  if (bytes < 370728) return bcast_split_binary_tree(run, args);
  args.parameter = 128 * 1024;
  if (ranks_below(1.6134e-6 * size + 2.1102)) return bcast_pipeline(run, args);
  args.parameter = 8 * 1024;
  if (run.size < 13) return bcast_split_binary_tree(run, args);
  if (ranks_below(2.3679e-6 * size + 1.1787))
    args.parameter = 64 * 1024;
  else if (ranks_below(3.2118e-6 * size + 8.7936))
    args.parameter = 16 * 1024;
  return bcast_pipeline(run, args);
}

struct Reduce {
  const char* algorithm;
  std::int32_t segment = 0;  // bytes, or 0 for the whole vector
};

Reduce reduce_for(std::int32_t ranks, std::int64_t bytes, std::int64_t count, bool commutative) {
  const auto size = static_cast<double>(bytes) / kKiB;
  const auto ranks_above = [ranks, size](double slope, double least) { return ranks > slope * size + least; };
  if (!commutative) return {ranks < 12 && bytes < 2048 ? "ompi_basic_linear" : "openmpi_in_order_binary"};
  if (ranks < 8 && bytes < 512) return {"ompi_basic_linear"};
  if ((ranks < 8 && bytes < 20480) || bytes < 2048 || count <= 1) return {"openmpi_binomial"};
  if (ranks_above(0.6016, 1.3496)) return {"openmpi_binomial", 1024};
  if (ranks_above(0.0410, 9.7128)) return {"openmpi_chain", 1024};
  if (ranks_above(0.0422, 1.1614)) return {"openmpi_binary", 32 * 1024};
  return {"openmpi_chain", ranks_above(0.0033, 1.6761) ? 32 * 1024 : 64 * 1024};
}

Schedule choose_reduce(Runner& run, Arguments args) {
  const Reduce choice = reduce_for(run.size, args.receive_bytes(), args.receive_count, args.reduction.commutative);
  args.parameter = choice.segment;
  return by_name<kReduceCatalogue>(choice.algorithm, run, args);
}

Schedule choose_allreduce(Runner& run, Arguments args) {
  const std::int64_t bytes = args.receive_bytes();
  const char* name = "redbcast";
  if (bytes < 10'000) {
    name = "openmpi_rdb";
  } else if (args.reduction.commutative && args.receive_count > run.size) {
    name = run.size * kMiB >= bytes ? "openmpi_ring" : "ompi_ring_segmented";
  }
  return by_name<kAllreduceCatalogue>(name, run, args);
}

Schedule choose_reduce_scatter(Runner& run, Arguments args) {
  if (!args.receive_counts) return by_name<kReduceScatterCatalogue>("openmpi_block_linear", run, args);
  const std::int64_t bytes = args.total_receive_bytes();
  const char* name = "openmpi_ring";
  if (!args.reduction.commutative) {
    name = "ompi_nonoverlapping";
  } else if (bytes <= 12 * kKiB || (bytes <= 256 * kKiB && is_power_of_two(run.size)) ||
             run.size >= 0.0012 * static_cast<double>(bytes) + 8.0) {
    name = "ompi_basic_recursivehalving";
  }
  return by_name<kReduceScatterCatalogue>(name, run, args);
}

Schedule choose_gather(Runner& run, Arguments args) {
  const std::int64_t block = args.gather_bytes(run.rank);
  const char* name = "ompi_basic_linear";
  if (block > 6000) {
    name = "ompi_linear_sync";
  } else if (run.size > 60 || (run.size > 10 && block < 1024)) {
    name = "ompi_binomial";
  }
  return by_name<kGatherCatalogue>(name, run, args);
}

Schedule choose_scatter(Runner& run, Arguments args) {
  const std::int64_t block = args.scatter_bytes(run.rank);
  return by_name<kScatterCatalogue>(run.size > 10 && block < 300 ? "ompi_binomial" : "ompi_basic_linear", run, args);
}

Schedule choose_allgather(Runner& run, Arguments args) {
  const char* name = run.size % 2 != 0 ? "NTSLR" : "ompi_neighborexchange";
  if (run.size == 2) {
    name = "pair";
  } else if (args.send_bytes() * run.size < 50'000) {
    name = is_power_of_two(run.size) ? "rdb" : "bruck";
  }
  return by_name<kAllgatherCatalogue>(name, run, args);
}

Schedule choose_allgatherv(Runner& run, Arguments args) {
  const char* name = run.size % 2 != 0 ? "openmpi_ring" : "ompi_neighborexchange";
  if (run.size == 2) {
    name = "pair";
  } else if (args.total_receive_bytes() < 50'000) {
    name = "ompi_bruck";
  }
  return by_name<kAllgathervCatalogue>(name, run, args);
}

Schedule choose_alltoall(Runner& run, Arguments args) {
  const std::int64_t block = args.send_bytes();
  const char* name = block < 3000 ? "basic_linear" : "ring";
  if (run.size == 2) {
    name = "ompi_two_proc";
  } else if (block < 200 && run.size > 12) {
    name = "bruck";
  }
  return by_name<kAlltoallCatalogue>(name, run, args);
}

Schedule choose_alltoallv(Runner& run, Arguments args) {
  return by_name<kAlltoallvCatalogue>("openmpi_pairwise", run, args);
}

}  // namespace

Algorithm openmpi40_selector(Operation operation) {
  using openmpi::unless_in_place;
  using openmpi::with_data;
  static const Choices kChoices = openmpi::with_basic({
      .barrier = choose_barrier,
      .bcast = with_data<Operation::kBcast, choose_bcast>,
      .reduce = with_data<Operation::kReduce, choose_reduce>,
      .allreduce = with_data<Operation::kAllreduce, choose_allreduce>,
      .reduce_scatter = with_data<Operation::kReduceScatter, choose_reduce_scatter>,
      .gather = with_data<Operation::kGather, choose_gather>,
      .scatter = with_data<Operation::kScatter, choose_scatter>,
      .allgather = with_data<Operation::kAllgather, choose_allgather>,
      .allgatherv = with_data<Operation::kAllgatherv, choose_allgatherv>,
      .alltoall = with_data<Operation::kAlltoall, unless_in_place<Operation::kAlltoall, choose_alltoall>>,
      .alltoallv = unless_in_place<Operation::kAlltoallv, choose_alltoallv>,
  });
  return kChoices.of(operation);
}

}  // namespace pysmpi
