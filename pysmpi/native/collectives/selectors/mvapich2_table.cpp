// MVAPICH2's decision tables by number of ranks and bytes.
#include "collectives/selectors/mvapich2_table.hpp"

#include <cstddef>

#include "collectives/selectors/table.hpp"

namespace pysmpi::mvapich2 {

namespace {

struct Tier {
  std::int64_t bytes_below;
  int algorithm;
  bool two_level = false;
};

// One row of a decision table, for up to `ranks_up_to` ranks. `among` gives the algorithm for all ranks, or for the
// leaders of nodes if it is a two-level algorithm; `within` gives the algorithm within nodes.
struct Row {
  std::int64_t ranks_up_to;
  Tier among[8];
  Tier within[8] = {};
};

constexpr Row kBcast[] = {
    {16, {{8193, 1, true}, {16385, 2, true}, {65537, 1, true}, {262145, 3, true}, {524289, 4, true}, {kAny, 3, true}}},
    {32, {{kAny, 1, true}}},
    {64, {{kAny, 1, true}}},
    {128, {{524289, 1, true}, {kAny, 3}}},
    {256, {{131073, 1, true}, {262145, 3, true}, {524289, 1, true}, {kAny, 3, true}}},
    {512, {{262145, 1, true}, {kAny, 3, true}}},
    {1024, {{524289, 1, true}, {kAny, 3, true}}},
    {kAny, {{524289, 1, true}, {kAny, 3, true}}},
};

constexpr Row kReduce[] = {
    {16, {{262145, 1, true}, {1048577, 2}, {kAny, 3}}, {{65537, 4}, {kAny, 2}}},
    {32,
     {{32769, 1, true}, {65537, 2, true}, {262145, 1}, {1048577, 2}, {kAny, 3}},
     {{8193, 4}, {16385, 1}, {262145, 4}, {kAny, 2}}},
    {64,
     {{16385, 1, true}, {65537, 2, true}, {262145, 1, true}, {kAny, 3}},
     {{8193, 4}, {16385, 1}, {65537, 4}, {262145, 1}, {kAny, 2}}},
    {128,
     {{8193, 1, true}, {16385, 1}, {65537, 2, true}, {262145, 1}, {1048577, 2, true}, {kAny, 3}},
     {{8193, 4}, {16385, 1}, {65537, 4}, {262145, 1}, {kAny, 2}}},
    {256,
     {{16385, 1, true}, {32769, 2, true}, {65537, 2}, {1048577, 2, true}, {kAny, 3}},
     {{8193, 4}, {16385, 1}, {65537, 4}, {262145, 1}, {kAny, 2}}},
    {512,
     {{8193, 1, true}, {16385, 1}, {1048577, 2, true}, {kAny, 3}},
     {{8193, 4}, {16385, 1}, {65537, 4}, {262145, 1}, {kAny, 2}}},
    {1024, {{8193, 1, true}, {16385, 1}, {kAny, 2, true}}, {{8193, 4}, {16385, 1}, {65537, 4}, {262145, 1}, {kAny, 2}}},
    {kAny, {{2049, 1, true}, {4097, 1}, {kAny, 2, true}}, {{16385, 4}, {65537, 1}, {131073, 2}, {kAny, 4}}},
};

constexpr Row kAllreduce[] = {
    {16, {{1025, 1, true}, {kAny, 2}}},
    {32, {{16385, 1, true}, {kAny, 2}}},
    {64, {{16385, 1, true}, {kAny, 2}}},
    {128, {{16385, 1, true}, {kAny, 2}}},
    {256, {{16385, 1, true}, {kAny, 2}}},
    {512, {{16385, 1, true}, {kAny, 2}}},
    {1024, {{8193, 1, true}, {65537, 2, true}, {kAny, 2}}},
    {kAny, {{4097, 1, true}, {kAny, 2}}},
};

constexpr Row kReduceScatter[] = {
    {16, {{65, 1}, {65537, 2}, {kAny, 3}}},
    {32, {{65, 1}, {131073, 2}, {kAny, 3}}},
    {64, {{1025, 1}, {262145, 2}, {kAny, 3}}},
    {128, {{129, 1}, {kAny, 2}}},
    {256, {{129, 1}, {kAny, 2}}},
    {kAny, {{257, 1}, {kAny, 2}}},
};

constexpr Row kGather[] = {
    {16, {{524289, 1}, {kAny, 2}}, {{kAny, 1}}},
    {32, {{16385, 1}, {131073, 2}, {kAny, 3}}, {{kAny, 2}}},
    {64, {{257, 3}, {16385, 1}, {kAny, 3}}, {{kAny, 2}}},
    {128, {{513, 3}, {16385, 1}, {kAny, 3}}, {{kAny, 2}}},
    {256, {{513, 3}, {16385, 1}, {kAny, 3}}, {{kAny, 2}}},
    {512, {{513, 3}, {16385, 1}, {kAny, 3}}, {{kAny, 2}}},
    {kAny, {{513, 3}, {16385, 1}, {kAny, 3}}, {{kAny, 2}}},
};

constexpr Row kScatterOne[] = {
    {2, {{kAny, 1}}, {{kAny, 1}}},  {4, {{kAny, 2}}, {{kAny, 2}}},  {8, {{kAny, 2}}, {{kAny, 2}}},
    {16, {{kAny, 2}}, {{kAny, 2}}}, {32, {{kAny, 2}}, {{kAny, 2}}}, {kAny, {{33, 1}, {kAny, 2}}, {{kAny, 1}}},
};

constexpr Row kScatterTwo[] = {
    {4, {{4097, 1}, {kAny, 2}}, {{kAny, 2}}},  {8, {{513, 3}, {kAny, 2}}, {{kAny, 1}}},
    {16, {{2049, 3}, {kAny, 2}}, {{kAny, 1}}}, {32, {{2049, 3}, {kAny, 2}}, {{kAny, 1}}},
    {64, {{8193, 3}, {kAny, 2}}, {{kAny, 1}}}, {kAny, {{17, 1}, {129, 4}, {16385, 3}, {kAny, 2}}, {{kAny, 2}}},
};

constexpr Row kScatterSixteen[] = {
    {16, {{257, 1}, {kAny, 2}}, {{kAny, 2}}},
    {32, {{513, 1}, {kAny, 2}}, {{kAny, 2}}},
    {64, {{1025, 3}, {kAny, 2}}, {{kAny, 2}}},
    {128, {{2049, 3}, {kAny, 2}}, {{kAny, 2}}},
    {256, {{2049, 3}, {kAny, 2}}, {{kAny, 2}}},
    {512, {{4097, 3}, {kAny, 2}}, {{kAny, 1}}},
    {1024, {{33, 1}, {4097, 3}, {kAny, 2}}, {{kAny, 1}}},
    {kAny, {{129, 4}, {16385, 3}, {65537, 2}, {kAny, 3}}, {{1025, 1}, {kAny, 2}}},
};

constexpr Row kAllgatherOne[] = {
    {2, {{kAny, 1}}},
    {4, {{262145, 2}, {kAny, 1}}},
    {8, {{131073, 2}, {kAny, 1}}},
    {16, {{131073, 2}, {kAny, 1}}},
    {32, {{65537, 2}, {kAny, 1}}},
    {kAny, {{32769, 2}, {kAny, 1}}},
};

constexpr Row kAllgatherTwo[] = {
    {4, {{524289, 2}, {kAny, 1}}},
    {8, {{32769, 2}, {kAny, 1, true}}},
    {16, {{16385, 2}, {kAny, 1, true}}},
    {32, {{65537, 2, true}, {kAny, 1, true}}},
    {64, {{32769, 2, true}, {kAny, 1, true}}},
    {kAny, {{65537, 2, true}, {kAny, 1, true}}},
};

constexpr Row kAllgatherSixteen[] = {
    {16, {{1025, 2}, {kAny, 1}}},  {32, {{1025, 2}, {kAny, 1}}},  {64, {{1025, 2}, {kAny, 1}}},
    {128, {{1025, 2}, {kAny, 1}}}, {256, {{1025, 2}, {kAny, 1}}}, {kAny, {{1025, 2}, {kAny, 1}}},
};

constexpr Row kAllgatherv[] = {
    {16, {{513, 1}, {kAny, 2}}},  {32, {{513, 1}, {kAny, 2}}},  {64, {{257, 1}, {kAny, 2}}},
    {128, {{257, 1}, {kAny, 2}}}, {256, {{257, 1}, {kAny, 2}}}, {kAny, {{257, 1}, {kAny, 2}}},
};

constexpr Row kAlltoall[] = {
    {2, {{kAny, 1}}},
    {4, {{262145, 2}, {kAny, 1}}},
    {8, {{9, 3}, {kAny, 2}}},
    {16, {{65, 3}, {513, 4}, {kAny, 2}}},
    {32, {{33, 3}, {2049, 4}, {kAny, 2}}},
    {kAny, {{9, 3}, {1025, 4}, {kAny, 2}}},
};

int find(const Tier* tier, std::int64_t bytes) {
  while (bytes >= tier->bytes_below) ++tier;
  return tier->algorithm;
}

template <std::size_t rows>
Decision look_up(const Row (&table)[rows], std::int32_t ranks, std::int64_t bytes) {
  const Row* row = table;
  while (ranks > row->ranks_up_to) ++row;
  const Tier* tier = row->among;
  while (bytes >= tier->bytes_below) ++tier;
  return {tier->algorithm, tier->two_level, row->within->algorithm == 0 ? 0 : find(row->within, bytes)};
}

}  // namespace

Decision bcast(std::int32_t ranks, std::int64_t bytes) { return look_up(kBcast, ranks, bytes); }
Decision reduce(std::int32_t ranks, std::int64_t bytes) { return look_up(kReduce, ranks, bytes); }
Decision allreduce(std::int32_t ranks, std::int64_t bytes) { return look_up(kAllreduce, ranks, bytes); }
Decision reduce_scatter(std::int32_t ranks, std::int64_t bytes) { return look_up(kReduceScatter, ranks, bytes); }
Decision gather(std::int32_t ranks, std::int64_t bytes) { return look_up(kGather, ranks, bytes); }

Decision scatter(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes) {
  if (ranks_per_node == 2) return look_up(kScatterTwo, ranks, bytes);
  if (ranks_per_node == 16) return look_up(kScatterSixteen, ranks, bytes);
  return look_up(kScatterOne, ranks, bytes);
}

Decision allgather(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes) {
  if (ranks_per_node == 2) return look_up(kAllgatherTwo, ranks, bytes);
  if (ranks_per_node == 16) return look_up(kAllgatherSixteen, ranks, bytes);
  return look_up(kAllgatherOne, ranks, bytes);
}

Decision allgatherv(std::int32_t ranks, std::int64_t bytes) {
  return look_up(kAllgatherv, ranks, (bytes + ranks - 1) / ranks);
}

Decision alltoall(std::int32_t ranks, std::int64_t bytes) { return look_up(kAlltoall, ranks, bytes); }

}  // namespace pysmpi::mvapich2
