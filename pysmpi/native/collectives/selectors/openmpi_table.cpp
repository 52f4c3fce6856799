// Search in Open MPI's decision table.
#include "collectives/selectors/openmpi_table.hpp"

#include "base/observer.hpp"
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

}  // namespace pysmpi::openmpi
