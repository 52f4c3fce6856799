// Reduction of several ranks' contributions in order of arrival, for commutative operations.
#pragma once

#include "collectives/arguments.hpp"

namespace pysmpi {

// Posts receives from rank_of(0), rank_of(1), ... at once and reduces the messages into `result`. MPI's own operations
// are applied as messages arrive, without intermediate buffers. Operations of the program are applied after all
// messages have arrived.
template <class Rank>
Schedule take_contributions(Runner& run, Arguments args, int ranks, Rank rank_of, char* result) {
  const bool as_they_come = args.reduction.kind != ReductionKind::kUser && find_datatype(args.receive_type)->contiguous;
  const std::int64_t step = as_they_come ? 0 : args.receive_count * args.receive_extent();
  const Scratch others(as_they_come ? 0 : ranks * args.receive_count, args.receive_type, result);
  for (int i = 0; i < ranks; ++i) {
    if (as_they_come) {
      run.receive_and_reduce(rank_of(i), args.reduction, result, args.receive_count, args.receive_type);
    } else {
      run.receive(rank_of(i), others.data() + i * step, args.receive_count, args.receive_type);
    }
  }
  co_await run.round();
  if (as_they_come) {
    co_await run.pay_for_reduction(args.reduction, args.receive_type, ranks * args.receive_count);
  }
  for (int i = 0; !as_they_come && i < ranks; ++i) {
    co_await run.reduce(args.reduction, args.receive_type, others.data() + i * step, result, args.receive_count);
  }
}

}  // namespace pysmpi
