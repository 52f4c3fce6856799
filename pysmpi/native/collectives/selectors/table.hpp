// Decision tables by number of ranks and bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "collectives/arguments.hpp"

namespace pysmpi {

inline constexpr std::int64_t kKiB = 1024, kMiB = 1024 * kKiB, kAny = std::numeric_limits<std::int64_t>::max();

// Rows by number of ranks, each with rules by message size: the first whose limit is above the value applies.
struct Rule {
  std::int64_t bytes_below;
  Algorithm algorithm;
};
struct Row {
  std::int64_t ranks_below;
  Rule rules[12];
};

template <std::size_t rows>
Algorithm look_up(const Row (&table)[rows], std::int64_t ranks, std::int64_t bytes) {
  const Row* row = table;
  while (ranks >= row->ranks_below) ++row;
  const Rule* rule = row->rules;
  while (bytes >= rule->bytes_below) ++rule;
  return rule->algorithm;
}

}  // namespace pysmpi
