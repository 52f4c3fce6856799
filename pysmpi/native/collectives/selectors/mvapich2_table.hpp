// MVAPICH2 1.9's tuning for Stampede (Intel Xeon E5-2680, FDR InfiniBand), from SMPI (SimGrid 3.32,
// src/smpi/colls/smpi_mvapich2_selector_stampede.hpp). Algorithms have numbers from 1 on; mvapich2.cpp lists their
// names.
#pragma once

#include <cstdint>

namespace pysmpi::mvapich2 {

struct Decision {
  int algorithm;   // among all ranks, or among the leaders of nodes
  bool two_level;  // first within nodes, then among their leaders
  int within;      // within nodes, or 0 if the table has no entry
};

Decision bcast(std::int32_t ranks, std::int64_t bytes);
Decision reduce(std::int32_t ranks, std::int64_t bytes);
Decision allreduce(std::int32_t ranks, std::int64_t bytes);
Decision reduce_scatter(std::int32_t ranks, std::int64_t bytes);  // bytes of all blocks
Decision gather(std::int32_t ranks, std::int64_t bytes);
Decision scatter(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes);
Decision allgather(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes);
Decision allgatherv(std::int32_t ranks, std::int64_t bytes);  // bytes of all blocks
Decision alltoall(std::int32_t ranks, std::int64_t bytes);

}  // namespace pysmpi::mvapich2
