// What collectives that go by nodes know about where ranks are.
#pragma once

#include "collectives/arguments.hpp"
#include "matching/node_map.hpp"

namespace pysmpi {

// The first such collective on a communicator finds out which ranks share a node, with messages: an allgather of the
// nodes' leaders, one of the sizes of nodes among the leaders, a broadcast in each node and an allreduce (SimGrid 3.32,
// Comm::init_smp). Others know. The same, once more, in a part, which is one of leaders or of a node's ranks. Of
// several collectives under way at once it is the one that comes to it first on any rank, so that all ranks agree.
Schedule discover_nodes(Runner& run);

// Whether some collective has begun to; ranks may see it at different times.
bool have_looked_for_nodes(const Communicator& communicator);

// All ranks, or all those of the part, share a node.
bool on_one_node(const Runner& run);

// Between blocks of so many bytes that lie in the order of nodes, and the places of their ranks in the receive or send
// buffer.
void place_by_rank(const NodeMap& map, const char* blocks, std::int64_t block, const Arguments& a);
void take_by_node(const NodeMap& map, const Arguments& a, char* blocks, std::int64_t block);

}  // namespace pysmpi
