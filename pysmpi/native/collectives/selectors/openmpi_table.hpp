// Open MPI's fixed decision table: coll_tuned_decision_fixed.c of 4.1.2, the same in 5.0.9. By number of ranks and
// bytes it gives the number of an algorithm, as in Open MPI's coll_tuned_OPERATION_algorithm.
#pragma once

#include <cstdint>

namespace pysmpi::openmpi {

int barrier(std::int32_t ranks);
int bcast(std::int32_t ranks, std::int64_t bytes);                             // of the whole
int reduce(std::int32_t ranks, std::int64_t bytes, bool commutative);          // of the whole
int allreduce(std::int32_t ranks, std::int64_t bytes, bool commutative);       // of the whole
int reduce_scatter(std::int32_t ranks, std::int64_t bytes, bool commutative);  // of all blocks
int gather(std::int32_t ranks, std::int64_t bytes);                            // of a block
int scatter(std::int32_t ranks, std::int64_t bytes);                           // of a block
int allgather(std::int32_t ranks, std::int64_t bytes);                         // of a block
int allgatherv(std::int32_t ranks, std::int64_t bytes);                        // of all blocks
int alltoall(std::int32_t ranks, std::int64_t bytes);                          // of a block
int alltoallv(std::int32_t ranks);

}  // namespace pysmpi::openmpi
