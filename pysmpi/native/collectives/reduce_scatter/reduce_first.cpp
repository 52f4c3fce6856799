// Reduce-scatter as a reduction of the whole vector to one rank, which scatters the result.
#include "collectives/reduce_scatter/offsets.hpp"
#include "collectives/reduce_scatter/reduce_scatter.hpp"

namespace pysmpi {

Schedule reduce_then_scatter(Runner& run, Arguments args, Algorithm reduction) {
  const int size = run.size;
  const bool root = run.rank == 0;
  const std::int64_t total = args.total_receive_count();
  const Scratch whole(root ? total : 0, args.receive_type, folded_or_received(args));
  Arguments reduce = args;
  reduce.root = 0;
  reduce.at_root = root;
  reduce.receive = whole.data();
  reduce.receive_count = total;
  reduce.receive_counts = {};
  co_await reduction(run, reduce);

  std::vector<std::int64_t> counts(root ? size : 0), begins(root ? size : 0);
  const Offsets offsets(args, size);
  for (int i = 0; root && i < size; ++i) {
    counts[i] = args.receive_count_of(i);
    begins[i] = offsets[i];
  }
  Arguments scatter;
  scatter.at_root = root;
  scatter.send = whole.data();
  scatter.send_counts = counts.data();
  scatter.send_displacements = begins.data();
  scatter.send_blocks = size;
  scatter.send_type = args.receive_type;
  scatter.receive = args.receive;
  scatter.receive_count = args.receive_count_of(run.rank);
  scatter.receive_type = args.receive_type;
  co_await collective(Operation::kScatterv, run, scatter);
}

Schedule reduce_scatter_nonoverlapping(Runner& run, Arguments args) {
  return reduce_then_scatter(
      run, args, [](Runner& runner, Arguments reduce) { return collective(Operation::kReduce, runner, reduce); });
}

namespace {

Schedule reduce_then_scatter_blocks(Runner& run, Arguments args) {
  if (args.receive_count == 0) co_return;
  const bool root = run.rank == 0;
  const Scratch whole(root ? run.size * args.receive_count : 0, args.receive_type, folded_or_received(args));
  Arguments reduce = args;
  reduce.root = 0;
  reduce.at_root = root;
  reduce.in_place = false;
  reduce.receive = whole.data();
  reduce.receive_count = run.size * args.receive_count;
  co_await collective(Operation::kReduce, run, reduce);
  Arguments scatter = args;
  scatter.root = 0;
  scatter.at_root = root;
  scatter.in_place = false;
  scatter.send = whole.data();
  scatter.send_count = args.receive_count;
  scatter.send_type = args.receive_type;
  scatter.send_blocks = run.size;
  co_await collective(Operation::kScatter, run, scatter);
}

}  // namespace

Schedule reduce_scatter_block_linear(Runner& run, Arguments args) {
  if (!args.receive_counts) return reduce_then_scatter_blocks(run, args);
  note_fallback("reduce_scatter", "openmpi_block_linear", "ompi_nonoverlapping", "blocks have counts of their own");
  return reduce_scatter_nonoverlapping(run, args);
}

}  // namespace pysmpi
