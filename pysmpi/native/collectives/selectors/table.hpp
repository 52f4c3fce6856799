// Decision tables by ranks per node, number of ranks and bytes. decision_tables.py makes them from tables/*.json.
#pragma once

#include <cstdint>
#include <limits>

namespace pysmpi {

inline constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();

// The first row applies whose number of ranks per node is the given one or 0 and whose limit exceeds the number of
// ranks. In this row, the first rule applies whose limit exceeds the message size.
struct DecisionRule {
  std::int64_t bytes_below;
  int number;  // of an algorithm, as in the library
};
struct DecisionRow {
  std::int32_t ranks_per_node;
  std::int64_t ranks_below;
  const DecisionRule* rules;
};

inline int look_up(const DecisionRow* row, std::int32_t ranks, std::int64_t bytes, std::int32_t ranks_per_node = 1) {
  while (ranks >= row->ranks_below || (row->ranks_per_node != 0 && row->ranks_per_node != ranks_per_node)) ++row;
  const DecisionRule* rule = row->rules;
  while (bytes >= rule->bytes_below) ++rule;
  return rule->number;
}

}  // namespace pysmpi
