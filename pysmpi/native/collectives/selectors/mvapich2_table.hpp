// MVAPICH2 1.9's tuning for Stampede (Intel Xeon E5-2680, FDR InfiniBand), as SMPI has it (SimGrid 3.32,
// src/smpi/colls/smpi_mvapich2_selector_stampede.hpp). Algorithms have numbers, from 1 on (mvapich2.cpp names them).
#pragma once

#include <cstdint>

namespace pysmpi::mvapich2 {

struct Decision {
  int algorithm;   // of all ranks, or of the leaders of nodes
  bool two_level;  // in nodes and among their leaders
  int within;      // in nodes; 0: the table says nothing
};

Decision bcast(std::int32_t ranks, std::int64_t bytes);
Decision reduce(std::int32_t ranks, std::int64_t bytes);
Decision allreduce(std::int32_t ranks, std::int64_t bytes);
Decision reduce_scatter(std::int32_t ranks, std::int64_t bytes);  // of all blocks
Decision gather(std::int32_t ranks, std::int64_t bytes);
Decision scatter(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes);
Decision allgather(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes);
Decision allgatherv(std::int32_t ranks, std::int64_t bytes);  // of all blocks
Decision alltoall(std::int32_t ranks, std::int64_t bytes);

}  // namespace pysmpi::mvapich2
