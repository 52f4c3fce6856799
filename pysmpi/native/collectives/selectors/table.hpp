// Decision tables by number of ranks and bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace pysmpi {

inline constexpr std::int64_t kKiB = 1024, kMiB = 1024 * kKiB, kAny = std::numeric_limits<std::int64_t>::max();

constexpr bool is_power_of_two(std::int32_t ranks) { return (ranks & (ranks - 1)) == 0; }

// Rows are ordered by number of ranks, rules in a row by message size. The first entry whose limit exceeds the value
// applies.
template <class Choice>
struct Rule {
  std::int64_t bytes_below;
  Choice choice;
};
template <class Choice, std::size_t rules_per_row>
struct Row {
  std::int64_t ranks_below;
  Rule<Choice> rules[rules_per_row];
};

template <class Choice, std::size_t rules_per_row, std::size_t rows>
Choice look_up(const Row<Choice, rules_per_row> (&table)[rows], std::int64_t ranks, std::int64_t bytes) {
  const Row<Choice, rules_per_row>* row = table;
  while (ranks >= row->ranks_below) ++row;
  const Rule<Choice>* rule = row->rules;
  while (bytes >= rule->bytes_below) ++rule;
  return rule->choice;
}

}  // namespace pysmpi
