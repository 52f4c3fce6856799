// Exact count of the words (8 bytes) that nodes send to each other if each value has a given owner, which is a node.
//
// A value is sent once to each other node that reads it. It is not sent to a node that has all sources of the value,
// because this node owns them, needs them for another use, or can compute them in the same way: such a node computes
// the value itself. For a sum, each other node that holds elements sends one partial result, unless the sum's owner has
// all these elements anyway.
//
// Example: nodes 0 and 1 own 2 elements each of u, and u[1:-1] = u[:-2] + u[2:] is computed. Node 1 computes u[2] from
// u[1] and u[3], so u[1] is sent from 0 to 1. In the same way u[2] is sent from 1 to 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "value_flow/graph.hpp"

namespace pysmpi {

// Triples of a value, a node, and the first event that needs the value on the node.
struct NodeNeeds {
  std::vector<std::int32_t> value, node, at;

  void add(std::int32_t of, std::int32_t on, std::int32_t first) {
    value.push_back(of);
    node.push_back(on);
    at.push_back(first);
  }
};

struct WordCount {
  NodeNeeds sent;          // values that are sent to a node
  NodeNeeds parts;         // sums of which a node sends a part to their owner
  std::int64_t words = 0;  // size of all of them, in the whole run
  NodeNeeds repeated;      // values that a node computes itself instead of receiving them
};

// Returns the count for the owner `part[v]` of each value v, out of nodes 0 to `nodes` - 1.
WordCount count_words(const ValueGraph& graph, std::span<const std::int32_t> part, std::int32_t nodes);

}  // namespace pysmpi
