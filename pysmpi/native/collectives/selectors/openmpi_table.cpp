// Search in Open MPI's decision table, and what does not depend on it.
#include "collectives/selectors/openmpi_table.hpp"

#include "base/observer.hpp"
#include "collectives/alltoall/alltoall.hpp"
#include "collectives/gather/gather.hpp"
#include "collectives/neighbourhood/neighbourhood.hpp"
#include "collectives/scan/scan.hpp"
#include "collectives/scatter/scatter.hpp"
#include "decision_tables.hpp"

namespace pysmpi::openmpi {

void notify_choice(Operation operation, const char* name) {
  if (observers) notify(&Observer::algorithm_selected, catalogue_of(operation)->option, name);
}

int number_for(Operation operation, const Runner& run, const Arguments& args) {
  const std::int32_t ranks = run.size;
  const bool commutative = args.reduction.commutative;
  switch (operation) {
    case Operation::kBarrier:
      return look_up(kBarrier, ranks, 0);
    case Operation::kBcast:
      return look_up(kBcast, ranks, args.receive_bytes());
    case Operation::kReduce:
      return look_up(commutative ? kReduce : kReduceInOrder, ranks, args.receive_bytes());
    case Operation::kAllreduce:
      return look_up(commutative ? kAllreduce : kAllreduceInOrder, ranks, args.receive_bytes());
    case Operation::kReduceScatter:
      return commutative ? look_up(kReduceScatter, ranks, args.total_receive_bytes()) : 1;
    case Operation::kGather:
      return look_up(kGather, ranks, args.gather_bytes(run.rank));
    case Operation::kScatter:
      return look_up(kScatter, ranks, args.scatter_bytes(run.rank));
    case Operation::kAllgather:
      return look_up(kAllgather, ranks, args.send_bytes());
    case Operation::kAllgatherv:
      return look_up(kAllgatherv, ranks, args.total_receive_bytes() / ranks);
    case Operation::kAlltoall:
      return look_up(kAlltoall, ranks, args.send_bytes());
    case Operation::kAlltoallv:
      return look_up(kAlltoallv, ranks, 0);
    default:
      return 0;
  }
}

Schedule without_messages(Runner& /*run*/, Arguments /*args*/) { co_return; }

int number_for_reduce_scatter_block(const Runner& run, const Arguments& args) {
  return args.reduction.commutative ? look_up(kReduceScatterBlock, run.size, args.receive_bytes()) : 1;
}

bool is_empty(Operation operation, const Runner& run, const Arguments& args) {
  switch (operation) {
    case Operation::kBcast:
    case Operation::kReduce:
    case Operation::kAllreduce:
    case Operation::kScan:
    case Operation::kExscan:
      return args.receive_count == 0;
    case Operation::kReduceScatter:
      return (args.receive_counts ? args.total_receive_count() : args.receive_count) == 0;
    case Operation::kGather:
      return (run.rank == args.root ? args.receive_count : args.send_count) == 0;
    case Operation::kScatter:
      return (run.rank == args.root ? args.send_count : args.receive_count) == 0;
    case Operation::kAllgather:
      return args.send_count == 0 || args.receive_count == 0;
    case Operation::kAllgatherv:
      return args.total_receive_count() == 0;
    case Operation::kAlltoall:
      return args.receive_bytes() == 0;
    default:
      return false;
  }
}

Schedule exchange_in_place(Operation operation, Runner& run, const Arguments& args) {
  notify_choice(operation, "openmpi_in_place");
  return alltoall_openmpi_in_place(run, args);
}

Choices with_basic(Choices tuned) {
  tuned.scan = with_data<Operation::kScan, scan_chain>;
  tuned.exscan = with_data<Operation::kExscan, exscan_chain>;
  tuned.gatherv = gatherv_openmpi_linear;
  tuned.scatterv = scatterv_openmpi_linear;
  tuned.alltoallw = unless_in_place<Operation::kAlltoallw, alltoallv_openmpi_linear>;
  tuned.neighbor_allgather = neighbor_allgather_openmpi_blocking;
  tuned.neighbor_allgatherv = neighbor_allgatherv_openmpi;
  tuned.neighbor_alltoall = neighbor_alltoall_openmpi_blocking;
  tuned.neighbor_alltoallv = neighbor_alltoallv_openmpi;
  tuned.neighbor_alltoallw = neighbor_alltoallw_openmpi;
  return tuned;
}

}  // namespace pysmpi::openmpi
