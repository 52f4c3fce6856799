// Choices of Intel MPI 2021.18, which derives from MPICH. On one node, its reductions follow the table of its tuning
// file (tables/impi2021.json). All other choices are those of MPICH's decision trees.
//
// Intel MPI reduces in shared memory on one node. Here the same tree of operands consists of messages.
#include <vector>

#include "collectives/allreduce/allreduce.hpp"
#include "collectives/reduce/reduce.hpp"
#include "collectives/selectors/selectors.hpp"
#include "decision_tables.hpp"
#include "matching/node_map.hpp"

namespace pysmpi {

namespace {

// The algorithms' numbers in the table. kKnomial and kKary stand for a tree, to whose number the radix is added.
enum Number { kDoubling = 1, kHalving = 2, kRing = 3, kKnomial = 100, kKary = 200 };

// A rank's place in a tree below rank 0. Example with 6 ranks and radix 3: in a k-nomial tree 0 has children 1, 2 and
// 3, 3 has 4 and 5; in a k-ary tree 0 has 1, 2 and 3, 1 has 4 and 5.
struct TreePlace {
  int parent = 0;
  std::vector<int> children;  // in ascending order

  TreePlace(int number, int rank, int size) {
    const int radix = number % 100;
    if (number >= kKary) {
      parent = (rank - 1) / radix;
      for (int i = 1; i <= radix && rank * radix + i < size; ++i) children.push_back(rank * radix + i);
      return;
    }
    int distance = 1;
    for (; distance < size && rank / distance % radix == 0; distance *= radix) {
      for (int i = 1; i < radix && rank + i * distance < size; ++i) children.push_back(rank + i * distance);
    }
    parent = rank / (distance * radix) * (distance * radix);
  }
};

// Reduces up the tree. Each rank receives from all its children, and adds their sums in the order of ranks; `sum` holds
// its own contribution first.
Schedule reduce_up(Runner& run, const Arguments& args, const TreePlace& place, char* sum) {
  const std::int64_t count = args.receive_count, step = count * args.receive_extent();
  const auto children = static_cast<std::int64_t>(place.children.size());
  const Scratch received(children * count, args.receive_type, args.send);
  for (std::int64_t i = 0; i < children; ++i) {
    run.receive(place.children[i], received.data() + i * step, count, args.receive_type);
  }
  co_await run.round();
  for (std::int64_t i = 0; i < children; ++i) {
    co_await run.reduce(args.reduction, args.receive_type, received.data() + i * step, sum, count);
  }
  if (run.rank != 0) co_await run.send_now(place.parent, sum, count, args.receive_type);
}

Schedule allreduce_by_tree(Runner& run, Arguments args, int number) {
  const std::int64_t count = args.receive_count;
  const TreePlace place(number, run.rank, run.size);
  local_copy(args.send, count, args.receive_type, args.receive, count, args.receive_type);
  co_await reduce_up(run, args, place, static_cast<char*>(args.receive));
  if (run.rank != 0) co_await run.receive_now(place.parent, args.receive, count, args.receive_type);
  for (const int child : place.children) run.send(child, args.receive, count, args.receive_type);
  co_await run.round();
}

// Rank 0 sends the result to the root.
Schedule reduce_by_tree(Runner& run, Arguments args, int number) {
  const std::int64_t count = args.receive_count;
  const bool at_root = run.rank == args.root;
  const Scratch own(at_root ? 0 : count, args.receive_type, args.send);
  char* const sum = at_root ? static_cast<char*>(args.receive) : own.data();
  local_copy(args.send, count, args.receive_type, sum, count, args.receive_type);
  const TreePlace place(number, run.rank, run.size);
  co_await reduce_up(run, args, place, sum);
  if (args.root == 0) co_return;
  if (run.rank == 0) co_await run.send_now(args.root, sum, count, args.receive_type);
  if (at_root) co_await run.receive_now(0, sum, count, args.receive_type);
}

Schedule impi2021_allreduce(Runner& run, Arguments args) {
  switch (const int number = look_up(impi2021::kAllreduce, run.size, args.receive_bytes())) {
    case kDoubling:
      return allreduce_recursive_doubling(run, args);
    case kHalving:
      return allreduce_parts_or_doubling(run, args);
    case kRing:
      return allreduce_openmpi_ring(run, args);
    default:
      return allreduce_by_tree(run, args, number);
  }
}

Schedule impi2021_reduce(Runner& run, Arguments args) {
  constexpr std::int32_t kSegment = 16000;  // bytes, as in most rows of the tuning file
  switch (const int number = look_up(impi2021::kReduce, run.size, args.receive_bytes())) {
    case kHalving:
      return reduce_mpich_scatter_gather(run, args);
    case kRing:
      args.parameter = kSegment;
      return reduce_openmpi_chain(run, args);
    default:
      return reduce_by_tree(run, args, number);
  }
}

bool is_in_table(const Runner& run, const Arguments& args) {
  return run.size > 1 && args.receive_count > 0 && args.reduction.commutative &&
         node_map_in_rank_order(run.communicator()).nodes() == 1;
}

template <Operation operation, Algorithm on_one_node>
Schedule by_table_on_one_node(Runner& run, Arguments args) {
  return (is_in_table(run, args) ? on_one_node : mpich_tuned_selector(operation))(run, args);
}

}  // namespace

Algorithm impi2021_selector(Operation operation) {
  switch (operation) {
    case Operation::kAllreduce:
      return by_table_on_one_node<Operation::kAllreduce, impi2021_allreduce>;
    case Operation::kReduce:
      return by_table_on_one_node<Operation::kReduce, impi2021_reduce>;
    default:
      return mpich_tuned_selector(operation);
  }
}

}  // namespace pysmpi
