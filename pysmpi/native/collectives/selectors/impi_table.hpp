// What Intel MPI 4.1.3 chooses on Stampede, as SMPI's authors have measured it (SimGrid 3.32,
// src/smpi/colls/smpi_intel_mpi_selector.cpp): numbers of algorithms as in I_MPI_ADJUST_OPERATION.
#pragma once

#include <cstdint>

namespace pysmpi::impi {

int barrier(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes);         // bytes: 1
int bcast(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes);           // of the whole
int reduce(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes);          // of the whole
int allreduce(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes);       // of the whole
int reduce_scatter(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes);  // of all blocks
int gather(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes);          // of a block
int scatter(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes);         // of a block
int allgather(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes);       // of a block
int allgatherv(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes);      // of all blocks
int alltoall(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes);        // of a block
int alltoallv(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes);       // bytes: 1

}  // namespace pysmpi::impi
