// Schedules of libnbc along binomial trees: broadcasts and reductions of whole vectors.
//
// The root and rank 0 exchange their numbers, so that the root has number 0. The parent of number v is v without its
// highest bit in a broadcast, and v without its lowest bit in a reduction. Example with 6 ranks and root 2 (ranks 2, 1,
// 0, 3, 4, 5 have numbers 0 to 5): in a broadcast, number 0 sends to 1, 2 and 4, number 1 to 3 and 5. In a reduction, 1
// sends to 0, 3 to 2, 5 to 4, then 2 and 4 to 0.
#include <bit>
#include <utility>

#include "collectives/libnbc/libnbc.hpp"

namespace pysmpi::libnbc {

namespace {

int highest_bit(int number) { return static_cast<int>(std::bit_floor(static_cast<std::uint32_t>(number))); }

// Posts the receive of a broadcast. It belongs to the round that is being posted.
void receive_from_parent(Runner& run, const Arguments& args) {
  const int number = swapped(run.rank, args.root);
  if (number == 0) return;
  run.receive(swapped(number - highest_bit(number), args.root), args.receive, args.receive_count, args.receive_type);
}

void send_to_children(Runner& run, const Arguments& args) {
  const int number = swapped(run.rank, args.root);
  for (int distance = number == 0 ? 1 : 2 * highest_bit(number); number + distance < run.size; distance *= 2) {
    run.send(swapped(number + distance, args.root), args.receive, args.receive_count, args.receive_type);
  }
}

// A partial result: the sum over a subtree. It alternates between two buffers, since a received vector becomes the
// right operand, and so the next sum.
struct Sum {
  const char* value;  // the rank's own vector, or the buffer that was filled last
  char* next;         // the buffer that is filled next
  char* other;
};

// Reduces up the tree. The rank's last message, to its parent, belongs to the round that follows.
Schedule reduce_up(Runner& run, Arguments args, std::int64_t count, int root, Sum& sum) {
  const int number = swapped(run.rank, root);
  for (int distance = 1; distance < run.size; distance *= 2) {
    if (number & distance) {
      run.send(swapped(number - distance, root), sum.value, count, args.receive_type);
      co_return;
    }
    if (number + distance >= run.size) continue;
    run.receive(swapped(number + distance, root), sum.next, count, args.receive_type);
    co_await run.round();
    co_await run.reduce(args.reduction, args.receive_type, sum.value, sum.next, count);
    sum.value = sum.next;
    std::swap(sum.next, sum.other);
  }
}

}  // namespace

Schedule bcast_binomial(Runner& run, Arguments args) {
  receive_from_parent(run, args);
  co_await run.round();
  send_to_children(run, args);
  co_await run.round();
}

// If the operation is not commutative, rank 0 is at the top, which keeps the order of operands; it then sends the
// result to the root.
Schedule reduce_binomial(Runner& run, Arguments args) {
  const std::int64_t count = args.receive_count;
  const int top = args.reduction.commutative ? args.root : 0;
  const bool is_leaf = swapped(run.rank, top) % 2 == 1;
  const Scratch first(is_leaf ? 0 : count, args.receive_type, args.send);
  const Scratch second(is_leaf ? 0 : count, args.receive_type, args.send);
  Sum sum{static_cast<const char*>(args.send), first.data(), second.data()};
  co_await reduce_up(run, args, count, top, sum);
  if (top != args.root && run.rank == top) run.send(args.root, sum.value, count, args.receive_type);
  if (top != args.root && run.rank == args.root) run.receive(top, args.receive, count, args.receive_type);
  co_await run.round();
  if (run.rank == args.root && top == args.root) {
    local_copy(sum.value, count, args.receive_type, args.receive, count, args.receive_type);
  }
}

Schedule allreduce_binomial(Runner& run, Arguments args) {
  const std::int64_t count = args.receive_count;
  args.root = 0;
  const Scratch scratch(run.rank % 2 == 1 ? 0 : count, args.receive_type, args.send);
  Sum sum{static_cast<const char*>(args.send), scratch.data(), static_cast<char*>(args.receive)};
  // After each of its receives, the sum is in the other buffer; rank 0's last one is to be the receive buffer.
  if (std::bit_width(static_cast<std::uint32_t>(run.size - 1)) % 2 == 1) std::swap(sum.next, sum.other);
  co_await reduce_up(run, args, count, 0, sum);
  if (run.size == 1) local_copy(args.send, count, args.receive_type, args.receive, count, args.receive_type);
  receive_from_parent(run, args);
  co_await run.round();
  send_to_children(run, args);
  co_await run.round();
}

// Reduces to rank 0, which then sends each rank its block.
Schedule reduce_scatter(Runner& run, Arguments args) {
  const std::int64_t total = args.total_receive_count(), extent = args.receive_extent();
  const bool is_leaf = run.rank % 2 == 1;
  const Scratch first(is_leaf ? 0 : total, args.receive_type, args.send);
  const Scratch second(is_leaf ? 0 : total, args.receive_type, args.send);
  Sum sum{static_cast<const char*>(args.send), first.data(), second.data()};
  co_await reduce_up(run, args, total, 0, sum);
  co_await run.round();
  if (run.rank != 0) {
    run.receive(0, args.receive, args.receive_count_of(run.rank), args.receive_type);
  } else {
    const std::int64_t own = args.receive_count_of(0);
    local_copy(sum.value, own, args.receive_type, args.receive, own, args.receive_type);
    const char* block = sum.value + own * extent;
    for (int other = 1; other < run.size; ++other) {
      run.send(other, block, args.receive_count_of(other), args.receive_type);
      block += args.receive_count_of(other) * extent;
    }
  }
  co_await run.round();
}

}  // namespace pysmpi::libnbc
