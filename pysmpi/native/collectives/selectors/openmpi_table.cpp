// Open MPI's decision tables by number of ranks and bytes.
#include "collectives/selectors/openmpi_table.hpp"

#include "base/observer.hpp"
#include "collectives/selectors/table.hpp"

namespace pysmpi::openmpi {

namespace {

using NumberRow = Row<int, 12>;

constexpr NumberRow kAllreduceInOrder[] = {
    {4, {{128 * kKiB, 3}, {kAny, 1}}},
    {8, {{kAny, 3}}},
    {16, {{kMiB, 3}, {kAny, 2}}},
    {128, {{kAny, 3}}},
    {256, {{128 * kKiB, 2}, {512 * kKiB, 3}, {kAny, 2}}},
    {512, {{4 * kKiB, 2}, {512 * kKiB, 3}, {kAny, 2}}},
    {kAny, {{2 * kKiB, 2}, {kAny, 3}}},
};

constexpr NumberRow kAllreduceCommutative[] = {
    {4, {{8, 4}, {4 * kKiB, 3}, {8 * kKiB, 4}, {16 * kKiB, 3}, {64 * kKiB, 4}, {256 * kKiB, 5}, {kAny, 6}}},
    {8, {{16, 4}, {8 * kKiB, 3}, {kAny, 6}}},
    {16, {{8 * kKiB, 3}, {kAny, 6}}},
    {32, {{64, 5}, {4 * kKiB, 3}, {kAny, 6}}},
    {64, {{128, 5}, {kAny, 6}}},
    {128, {{256 * kKiB, 3}, {kAny, 6}}},
    {256, {{128 * kKiB, 2}, {256 * kKiB, 3}, {kAny, 6}}},
    {512, {{4 * kKiB, 2}, {kAny, 6}}},
    {2048, {{2 * kKiB, 2}, {16 * kKiB, 3}, {kAny, 6}}},
    {4096, {{2 * kKiB, 2}, {4 * kKiB, 5}, {16 * kKiB, 3}, {kAny, 6}}},
    {kAny, {{2 * kKiB, 2}, {16 * kKiB, 5}, {32 * kKiB, 3}, {kAny, 6}}},
};

constexpr NumberRow kAlltoall[] = {
    {2, {{8 * kKiB, 4}, {16 * kKiB, 1}, {64 * kKiB, 4}, {512 * kKiB, 1}, {kMiB, 2}, {kAny, 1}}},
    {3,
     {{2, 2},
      {4, 5},
      {16, 2},
      {64, 5},
      {256, 2},
      {4 * kKiB, 5},
      {32 * kKiB, 2},
      {256 * kKiB, 4},
      {kMiB, 5},
      {kAny, 2}}},
    {8, {{8 * kKiB, 4}, {16 * kKiB, 1}, {64 * kKiB, 4}, {512 * kKiB, 1}, {kMiB, 2}, {kAny, 1}}},
    {16, {{256 * kKiB, 4}, {kAny, 1}}},
    {32, {{4, 4}, {512, 3}, {8 * kKiB, 4}, {32 * kKiB, 1}, {256 * kKiB, 4}, {512 * kKiB, 1}, {kAny, 4}}},
    {64, {{512, 3}, {512 * kKiB, 1}, {kAny, 4}}},
    {128, {{kKiB, 3}, {2 * kKiB, 1}, {4 * kKiB, 4}, {256 * kKiB, 1}, {kAny, 2}}},
    {256, {{kKiB, 3}, {2 * kKiB, 4}, {256 * kKiB, 1}, {kAny, 2}}},
    {512, {{kKiB, 3}, {8 * kKiB, 4}, {32 * kKiB, 1}, {kAny, 2}}},
    {1024, {{512, 3}, {8 * kKiB, 4}, {16 * kKiB, 1}, {128 * kKiB, 4}, {256 * kKiB, 1}, {kAny, 2}}},
    {2048, {{512, 3}, {kKiB, 4}, {2 * kKiB, 1}, {16 * kKiB, 4}, {256 * kKiB, 1}, {kAny, 4}}},
    {4096, {{kKiB, 3}, {4 * kKiB, 4}, {8 * kKiB, 1}, {128 * kKiB, 4}, {kAny, 1}}},
    {kAny, {{2 * kKiB, 3}, {8 * kKiB, 4}, {16 * kKiB, 1}, {32 * kKiB, 4}, {64 * kKiB, 1}, {kAny, 4}}},
};

constexpr NumberRow kAlltoallv[] = {
    {4, {{kAny, 2}}},   {64, {{kAny, 1}}},   {128, {{kAny, 2}}},
    {256, {{kAny, 1}}}, {1024, {{kAny, 2}}}, {kAny, {{kAny, 1}}},
};

constexpr NumberRow kBarrier[] = {
    {4, {{kAny, 3}}},   {8, {{kAny, 1}}},    {64, {{kAny, 3}}},   {256, {{kAny, 4}}},
    {512, {{kAny, 6}}}, {1024, {{kAny, 4}}}, {4096, {{kAny, 6}}}, {kAny, {{kAny, 4}}},
};

constexpr NumberRow kBcast[] = {
    {4,
     {{32, 3},
      {256, 5},
      {512, 3},
      {kKiB, 7},
      {32 * kKiB, 1},
      {128 * kKiB, 5},
      {256 * kKiB, 2},
      {512 * kKiB, 1},
      {kMiB, 6},
      {kAny, 5}}},
    {8, {{64, 5}, {128, 6}, {2 * kKiB, 5}, {8 * kKiB, 6}, {kMiB, 1}, {kAny, 2}}},
    {16, {{8, 7}, {64, 5}, {4 * kKiB, 7}, {16 * kKiB, 5}, {32 * kKiB, 6}, {kAny, 1}}},
    {32, {{4 * kKiB, 7}, {kMiB, 6}, {kAny, 8}}},
    {64, {{2 * kKiB, 6}, {kAny, 7}}},
    {128, {{kAny, 7}}},
    {256, {{2, 6}, {16 * kKiB, 5}, {32 * kKiB, 1}, {64 * kKiB, 5}, {kAny, 7}}},
    {1024, {{16 * kKiB, 7}, {32 * kKiB, 4}, {kAny, 7}}},
    {2048, {{512 * kKiB, 7}, {kAny, 8}}},
    {4096, {{256 * kKiB, 7}, {kAny, 8}}},
    {kAny, {{8 * kKiB, 7}, {16 * kKiB, 5}, {256 * kKiB, 7}, {kAny, 8}}},
};

constexpr NumberRow kReduceInOrder[] = {
    {4, {{8, 6}, {kAny, 1}}},
    {8, {{kAny, 1}}},
    {16, {{kKiB, 6}, {8 * kKiB, 1}, {16 * kKiB, 6}, {256 * kKiB, 1}, {kAny, 6}}},
    {128, {{kAny, 6}}},
    {256, {{512, 6}, {kKiB, 1}, {kAny, 6}}},
    {kAny, {{kAny, 6}}},
};

constexpr NumberRow kReduceCommutative[] = {
    {4, {{8, 7}, {16, 4}, {32, 3}, {256 * kKiB, 1}, {512 * kKiB, 3}, {kMiB, 2}, {kAny, 3}}},
    {8, {{4 * kKiB, 4}, {64 * kKiB, 2}, {256 * kKiB, 5}, {512 * kKiB, 1}, {kMiB, 5}, {kAny, 1}}},
    {16, {{8 * kKiB, 4}, {kAny, 5}}},
    {32, {{4 * kKiB, 4}, {kAny, 5}}},
    {256, {{kAny, 5}}},
    {512, {{8 * kKiB, 5}, {16 * kKiB, 6}, {kAny, 5}}},
    {2048, {{kAny, 5}}},
    {4096, {{512, 5}, {kKiB, 6}, {8 * kKiB, 5}, {16 * kKiB, 6}, {kAny, 5}}},
    {kAny, {{16, 5}, {32, 6}, {kKiB, 5}, {2 * kKiB, 6}, {8 * kKiB, 5}, {16 * kKiB, 6}, {kAny, 5}}},
};

constexpr NumberRow kReduceScatter[] = {
    {4, {{64 * kKiB, 3}, {128 * kKiB, 4}, {kAny, 3}}},
    {8, {{8, 1}, {256 * kKiB, 2}, {kAny, 3}}},
    {32, {{256 * kKiB, 2}, {kAny, 3}}},
    {64, {{64, 1}, {2 * kKiB, 2}, {512 * kKiB, 4}, {kAny, 3}}},
    {128, {{256, 1}, {512, 2}, {2 * kKiB, 4}, {4 * kKiB, 2}, {kAny, 4}}},
    {256, {{256, 1}, {512, 2}, {kAny, 4}}},
    {512, {{256, 1}, {kKiB, 2}, {kAny, 4}}},
    {1024, {{512, 1}, {2 * kKiB, 2}, {8 * kKiB, 4}, {16 * kKiB, 2}, {kAny, 4}}},
    {2048, {{512, 1}, {4 * kKiB, 2}, {16 * kKiB, 4}, {32 * kKiB, 2}, {kAny, 4}}},
    {4096, {{512, 1}, {4 * kKiB, 2}, {kAny, 4}}},
    {kAny, {{kKiB, 1}, {8 * kKiB, 2}, {kAny, 4}}},
};

constexpr NumberRow kAllgather[] = {
    {2, {{kAny, 3}}},
    {3, {{kAny, 6}}},
    {32, {{kAny, 3}}},
    {64, {{kKiB, 3}, {64 * kKiB, 5}, {kAny, 4}}},
    {128, {{512, 3}, {64 * kKiB, 5}, {kAny, 4}}},
    {256, {{512, 3}, {128 * kKiB, 5}, {512 * kKiB, 4}, {kMiB, 5}, {kAny, 4}}},
    {512, {{32, 3}, {128, 2}, {kKiB, 3}, {128 * kKiB, 5}, {512 * kKiB, 4}, {kMiB, 5}, {kAny, 4}}},
    {1024, {{64, 3}, {256, 2}, {2 * kKiB, 3}, {kAny, 5}}},
    {2048, {{4, 3}, {8, 2}, {16, 3}, {32, 2}, {256, 3}, {512, 2}, {4 * kKiB, 3}, {kAny, 5}}},
    {4096, {{32, 2}, {128, 3}, {512, 2}, {4 * kKiB, 3}, {kAny, 5}}},
    {kAny, {{2, 3}, {8, 2}, {16, 3}, {512, 2}, {4 * kKiB, 3}, {kAny, 5}}},
};

constexpr NumberRow kAllgatherv[] = {
    {2, {{256, 1}, {4 * kKiB, 4}, {8 * kKiB, 3}, {16 * kKiB, 4}, {256 * kKiB, 2}, {kAny, 4}}},
    {3, {{2 * kKiB, 3}, {4 * kKiB, 5}, {8 * kKiB, 3}, {kAny, 5}}},
    {8, {{256, 1}, {4 * kKiB, 4}, {8 * kKiB, 3}, {16 * kKiB, 4}, {256 * kKiB, 2}, {kAny, 4}}},
    {16, {{kKiB, 1}, {kAny, 2}}},
    {32, {{128, 1}, {256 * kKiB, 2}, {kAny, 3}}},
    {64, {{256, 1}, {8 * kKiB, 2}, {kAny, 3}}},
    {128, {{256, 1}, {4 * kKiB, 2}, {kAny, 3}}},
    {256, {{kKiB, 2}, {64 * kKiB, 4}, {kAny, 3}}},
    {512, {{kKiB, 2}, {kAny, 3}}},
    {1024, {{512, 2}, {kKiB, 1}, {4 * kKiB, 2}, {kMiB, 4}, {kAny, 3}}},
    {kAny, {{4 * kKiB, 2}, {kAny, 4}}},
};

constexpr NumberRow kGather[] = {
    {4, {{2, 3}, {4, 1}, {32 * kKiB, 2}, {64 * kKiB, 1}, {128 * kKiB, 2}, {kAny, 3}}},
    {8, {{kKiB, 2}, {8 * kKiB, 1}, {32 * kKiB, 2}, {256 * kKiB, 1}, {kAny, 3}}},
    {256, {{kAny, 2}}},
    {512, {{2 * kKiB, 2}, {8 * kKiB, 1}, {kAny, 2}}},
    {kAny, {{kAny, 2}}},
};

constexpr NumberRow kScatter[] = {
    {4, {{2, 3}, {128 * kKiB, 1}, {256 * kKiB, 3}, {kAny, 1}}},
    {8, {{2 * kKiB, 2}, {4 * kKiB, 1}, {8 * kKiB, 2}, {32 * kKiB, 1}, {kMiB, 3}, {kAny, 1}}},
    {16, {{16 * kKiB, 2}, {kMiB, 3}, {kAny, 1}}},
    {32, {{16 * kKiB, 2}, {32 * kKiB, 1}, {kAny, 3}}},
    {64, {{512, 2}, {8 * kKiB, 3}, {16 * kKiB, 2}, {kAny, 3}}},
    {kAny, {{512, 2}, {kAny, 3}}},
};

}  // namespace

int barrier(std::int32_t ranks) { return look_up(kBarrier, ranks, 0); }

int bcast(std::int32_t ranks, std::int64_t bytes) { return look_up(kBcast, ranks, bytes); }

int reduce(std::int32_t ranks, std::int64_t bytes, bool commutative) {
  return commutative ? look_up(kReduceCommutative, ranks, bytes) : look_up(kReduceInOrder, ranks, bytes);
}

int allreduce(std::int32_t ranks, std::int64_t bytes, bool commutative) {
  return commutative ? look_up(kAllreduceCommutative, ranks, bytes) : look_up(kAllreduceInOrder, ranks, bytes);
}

int reduce_scatter(std::int32_t ranks, std::int64_t bytes, bool commutative) {
  return commutative ? look_up(kReduceScatter, ranks, bytes) : 1;
}

int gather(std::int32_t ranks, std::int64_t bytes) { return look_up(kGather, ranks, bytes); }

int scatter(std::int32_t ranks, std::int64_t bytes) { return look_up(kScatter, ranks, bytes); }

int allgather(std::int32_t ranks, std::int64_t bytes) { return look_up(kAllgather, ranks, bytes); }

int allgatherv(std::int32_t ranks, std::int64_t bytes) { return look_up(kAllgatherv, ranks, bytes / ranks); }

int alltoall(std::int32_t ranks, std::int64_t bytes) { return look_up(kAlltoall, ranks, bytes); }

int alltoallv(std::int32_t ranks) { return look_up(kAlltoallv, ranks, 0); }

void notify_choice(Operation operation, const char* name) {
  if (observers) notify(&Observer::algorithm_selected, catalogue_of(operation)->option, name);
}

int number_for(Operation operation, const Runner& run, const Arguments& args) {
  const std::int32_t ranks = run.size;
  switch (operation) {
    case Operation::kBarrier:
      return barrier(ranks);
    case Operation::kBcast:
      return bcast(ranks, args.receive_bytes());
    case Operation::kReduce:
      return reduce(ranks, args.receive_bytes(), args.reduction.commutative);
    case Operation::kAllreduce:
      return allreduce(ranks, args.receive_bytes(), args.reduction.commutative);
    case Operation::kReduceScatter:
      return reduce_scatter(ranks, args.total_receive_bytes(), args.reduction.commutative);
    case Operation::kGather:
      return gather(ranks, run.rank == args.root ? args.receive_bytes() : args.send_bytes());
    case Operation::kScatter:
      return scatter(ranks, run.rank == args.root ? args.send_bytes() : args.receive_bytes());
    case Operation::kAllgather:
      return allgather(ranks, args.send_bytes());
    case Operation::kAllgatherv:
      return allgatherv(ranks, args.total_receive_bytes());
    case Operation::kAlltoall:
      return alltoall(ranks, args.send_bytes());
    case Operation::kAlltoallv:
      return alltoallv(ranks);
    default:
      return 0;
  }
}

}  // namespace pysmpi::openmpi
