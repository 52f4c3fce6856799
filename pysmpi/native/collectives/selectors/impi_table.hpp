// Intel MPI 4.1.3's choices on Stampede, as measured by SMPI's authors (SimGrid 3.32,
// src/smpi/colls/smpi_intel_mpi_selector.cpp). Each function returns the number of an algorithm as in
// I_MPI_ADJUST_OPERATION.
#pragma once

#include <cstdint>

namespace pysmpi::impi {

int barrier(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes);         // `bytes` is 1
int bcast(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes);           // bytes of the whole buffer
int reduce(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes);          // bytes of the whole buffer
int allreduce(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes);       // bytes of the whole buffer
int reduce_scatter(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes);  // bytes of all blocks
int gather(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes);          // bytes of one block
int scatter(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes);         // bytes of one block
int allgather(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes);       // bytes of one block
int allgatherv(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes);      // bytes of all blocks
int alltoall(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes);        // bytes of one block
int alltoallv(std::int32_t ranks_per_node, std::int32_t ranks, std::int64_t bytes);       // `bytes` is 1

}  // namespace pysmpi::impi
