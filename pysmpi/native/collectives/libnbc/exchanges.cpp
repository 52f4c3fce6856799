// Schedules of libnbc without reductions: gathers, scatters, exchanges and the linear broadcast.
#include <utility>

#include "collectives/allgather/blocks.hpp"
#include "collectives/allgatherv/blocks.hpp"
#include "collectives/alltoall/blocks.hpp"
#include "collectives/libnbc/libnbc.hpp"

namespace pysmpi::libnbc {

namespace {

// The block from a rank in the receive buffer of a gather.
char* gathered_block(const Arguments& args, int from) {
  return args.receive_at(args.receive_counts ? args.receive_displacements[from] : from * args.receive_count);
}

// The block to a rank in the send buffer of a scatter, and its number of elements.
const char* scattered_block(const Arguments& args, int to) {
  return args.send_at(args.send_counts ? args.send_displacements[to] : to * args.send_count);
}
std::int64_t scattered_count(const Arguments& args, int to) {
  return args.send_counts ? args.send_counts[to] : args.send_count;
}

// An exchange of blocks. MPI_Ialltoallv and MPI_Ialltoallw leave out empty blocks, MPI_Ialltoall does not.
class Exchange {
 public:
  Exchange(Runner& run, const Arguments& args) : blocks_(run, args), skips_empty_(args.receive_counts) {}

  bool sends(int to) const { return !skips_empty_ || blocks_.out_count(to) > 0; }
  bool receives(int from) const { return !skips_empty_ || blocks_.in_count(from) > 0; }
  void send(int to) const {
    if (sends(to)) blocks_.send(to);
  }
  void receive(int from) const {
    if (receives(from)) blocks_.receive(from);
  }
  void copy_own() const { blocks_.copy_own(); }
  void include_empty() { skips_empty_ = false; }

 private:
  const AlltoallBlocks blocks_;
  bool skips_empty_;
};

bool has_blocks(const Runner& run, const Exchange& exchange) {
  for (int other = 0; other < run.size; ++other) {
    if (exchange.receives(other)) return true;
  }
  return false;
}

}  // namespace

Schedule bcast_linear(Runner& run, Arguments args) {
  if (run.rank != args.root) {
    run.receive(args.root, args.receive, args.receive_count, args.receive_type);
  } else {
    for (int other = 0; other < run.size; ++other) {
      if (other != args.root) run.send(other, args.receive, args.receive_count, args.receive_type);
    }
  }
  co_await run.round();
}

Schedule gather(Runner& run, Arguments args) {
  if (run.rank != args.root) {
    run.send(args.root, args.send, args.send_count, args.send_type);
  } else {
    for (int other = 0; other < run.size; ++other) {
      char* const block = gathered_block(args, other);
      if (other != run.rank) {
        run.receive(other, block, args.receive_count_of(other), args.receive_type);
      } else if (!args.is_one_block(block, args.send)) {
        local_copy(args.send, args.send_count, args.send_type, block, args.receive_count_of(other), args.receive_type);
      }
    }
  }
  co_await run.round();
}

Schedule scatter(Runner& run, Arguments args) {
  if (run.rank != args.root) {
    run.receive(args.root, args.receive, args.receive_count, args.receive_type);
  } else {
    for (int other = 0; other < run.size; ++other) {
      const char* const block = scattered_block(args, other);
      if (other != run.rank) {
        run.send(other, block, scattered_count(args, other), args.send_type);
      } else if (!args.is_one_block(block, args.receive)) {
        local_copy(block, scattered_count(args, other), args.send_type, args.receive, args.receive_count,
                   args.receive_type);
      }
    }
  }
  co_await run.round();
}

// Ranks send their blocks from the receive buffer.
Schedule allgather(Runner& run, Arguments args) {
  char* const own = equal_block_of(args, run.rank);
  if (own != args.send) place_own_equal_block(run, args);
  for (int other = 0; other < run.size; ++other) {
    if (other == run.rank) continue;
    run.receive(other, equal_block_of(args, other), args.receive_count, args.receive_type);
    run.send(other, own, args.receive_count, args.receive_type);
  }
  co_await run.round();
}

Schedule allgatherv(Runner& run, Arguments args) {
  char* const own = block_of(args, run.rank);
  if (own != args.send) place_own_block(run, args);
  for (int distance = 1; distance < run.size; ++distance) {
    const int to = (run.rank + distance) % run.size, from = (run.rank - distance + run.size) % run.size;
    run.receive(from, block_of(args, from), args.receive_counts[from], args.receive_type);
    run.send(to, own, args.receive_counts[run.rank], args.receive_type);
  }
  co_await run.round();
}

Schedule alltoall(Runner& run, Arguments args) {
  const Exchange exchange(run, args);
  exchange.copy_own();
  for (int other = 0; other < run.size; ++other) {
    if (other == run.rank) continue;
    exchange.receive(other);
    exchange.send(other);
  }
  co_await run.round();
}

// In step i, a rank exchanges blocks with the ranks i places above and below it: it sends to the upper one and receives
// from the lower one, then the other way round. Before each step, libnbc copies the block that it receives first. Here
// the send buffer is such a copy (resolve_in_place). If the number of ranks is even, the last step has one partner;
// MPI_Ialltoallw then sends the block even if it is empty, unless the rank has no data at all.
Schedule alltoall_in_place(Runner& run, Arguments args) {
  Exchange exchange(run, args);
  if (!has_blocks(run, exchange)) co_return;
  bool begun = false;  // a round has ended
  for (int distance = 1; distance <= run.size / 2; ++distance) {
    const int above = (run.rank + distance) % run.size, below = (run.rank - distance + run.size) % run.size;
    if (above == below && args.receive_types) exchange.include_empty();
    if (exchange.receives(below)) {  // the round of the copy
      co_await run.round();
      if (!std::exchange(begun, true)) co_await run.next_call();
    }
    exchange.send(above);
    exchange.receive(below);
    if (exchange.receives(below)) co_await run.round();
    if (above == below) break;
    exchange.send(below);
    exchange.receive(above);
    if (exchange.receives(above)) {
      co_await run.round();
      begun = true;
    }
  }
  co_await run.round();
}

}  // namespace pysmpi::libnbc
