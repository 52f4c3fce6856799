// Open MPI's fixed decision table (coll_tuned_decision_fixed.c of 4.1.2, unchanged in 5.0.9). From the number of ranks
// and bytes it determines the number of an algorithm, as in Open MPI's coll_tuned_OPERATION_algorithm.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "collectives/selectors/numbered.hpp"

namespace pysmpi::openmpi {

int barrier(std::int32_t ranks);
int bcast(std::int32_t ranks, std::int64_t bytes);                             // bytes of the whole buffer
int reduce(std::int32_t ranks, std::int64_t bytes, bool commutative);          // bytes of the whole buffer
int allreduce(std::int32_t ranks, std::int64_t bytes, bool commutative);       // bytes of the whole buffer
int reduce_scatter(std::int32_t ranks, std::int64_t bytes, bool commutative);  // bytes of all blocks
int gather(std::int32_t ranks, std::int64_t bytes);                            // bytes of one block
int scatter(std::int32_t ranks, std::int64_t bytes);                           // bytes of one block
int allgather(std::int32_t ranks, std::int64_t bytes);                         // bytes of one block
int allgatherv(std::int32_t ranks, std::int64_t bytes);                        // bytes of all blocks
int alltoall(std::int32_t ranks, std::int64_t bytes);                          // bytes of one block
int alltoallv(std::int32_t ranks);

// Returns the number of the algorithm that Open MPI's table gives for this call.
int number_for(Operation operation, const Runner& run, const Arguments& args);

// Notifies observers that the running rank executes a collective by the algorithm with this name.
void notify_choice(Operation operation, const char* name);

// pysmpi's names (collectives/catalogue.hpp) of the algorithms with the numbers 1, 2, ... in the table.
struct Names {
  Operation operation;
  std::array<const char*, 9> names;
};

template <const Names& names>
Schedule by_table(Runner& run, Arguments args) {
  static const Numbered kAlgorithms(*catalogue_of(names.operation), names.names);
  const int number = number_for(names.operation, run, args);
  notify_choice(names.operation, names.names[static_cast<std::size_t>(number - 1)]);
  return kAlgorithms[number](run, args);
}

}  // namespace pysmpi::openmpi
