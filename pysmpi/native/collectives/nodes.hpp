// Information on nodes for collectives that treat ranks of one node specially.
#pragma once

#include "collectives/arguments.hpp"
#include "matching/node_map.hpp"

namespace pysmpi {

// Simulates the messages by which an MPI library finds out which ranks share a node. Only the first node-aware
// collective on a communicator sends them: an allgather of the nodes' leaders, an allgather of the node sizes among the
// leaders, a broadcast in each node and an allreduce (SimGrid 3.32, Comm::init_smp). If a node-aware collective runs on
// a part of the communicator (the leaders, or the ranks of one node), this part sends such messages, too, but only
// once. If several collectives are in progress, the collective that reaches this point first on any rank sends the
// messages. Thus all ranks agree on the collective that sends them.
Schedule discover_nodes(Runner& run);

// Returns whether a collective on this communicator has started to discover its nodes. The answer changes when the
// first rank starts, so ranks that ask at different times may get different answers.
bool have_looked_for_nodes(const Communicator& communicator);

// Returns whether all ranks of the runner share a node. If the runner works in a part of the communicator, only the
// ranks of that part count.
bool on_one_node(const Runner& run);

// Returns how many ranks each node has, or 0 if the numbers differ. A part of the communicator has one rank a node.
inline std::int32_t ranks_on_each_node(const Runner& run) {
  return run.in_part() ? 1 : node_map(run.communicator()).on_each_node();
}

// Copy blocks of `block` bytes between an array, in which they belong to `ranks` in this order, and the program's
// buffer, which is in rank order: place_by_rank copies into the receive buffer, take_by_rank copies from the send
// buffer.
void place_by_rank(std::span<const std::int32_t> ranks, const char* blocks, std::int64_t block, const Arguments& args);
void take_by_rank(std::span<const std::int32_t> ranks, const Arguments& args, char* blocks, std::int64_t block);

}  // namespace pysmpi
