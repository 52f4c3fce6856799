// Selectors: functions that choose an algorithm for each call, as a particular MPI library does. For each operation a
// selector returns a function that examines the call and runs the chosen algorithm.
#pragma once

#include <span>

#include "collectives/catalogue.hpp"

namespace pysmpi {

using NonblockingAlgorithm = Algorithm (*)(Operation operation, bool between_groups);

struct Selector {
  const char* name;                             // --cfg=smpi/coll-selector:NAME
  Algorithm (*algorithm)(Operation operation);  // never null
  NonblockingAlgorithm nonblocking = nullptr;   // if the library has other algorithms for calls that do not block
};

std::span<const Selector> selectors();  // the first one is the default

// The choices of a library: for each operation an algorithm, or a function that chooses one. The default selector
// chooses for operations without a choice.
struct Choices {
  Algorithm barrier, bcast, reduce, allreduce;
  Algorithm scan = nullptr, exscan = nullptr;
  Algorithm reduce_scatter, gather;
  Algorithm gatherv = nullptr;
  Algorithm scatter;
  Algorithm scatterv = nullptr;
  Algorithm allgather, allgatherv, alltoall, alltoallv;
  Algorithm alltoallw = nullptr, neighbor_allgather = nullptr, neighbor_allgatherv = nullptr,
            neighbor_alltoall = nullptr, neighbor_alltoallv = nullptr, neighbor_alltoallw = nullptr;
  Algorithm of(Operation operation) const;
};

// SMPI's selectors, with their names and choices.
Algorithm default_selector(Operation operation);
Algorithm ompi_selector(Operation operation);
Algorithm mpich_selector(Operation operation);
Algorithm mvapich2_selector(Operation operation);
Algorithm impi_selector(Operation operation);

// Selectors that choose as the libraries themselves do, without SMPI's replacements.
Algorithm openmpi40_selector(Operation operation);
Algorithm openmpi41_selector(Operation operation);
Algorithm openmpi50_selector(Operation operation);
Algorithm mpich_tuned_selector(Operation operation);  // MPICH 4 and 5, by the decision trees of the version
Algorithm impi2021_selector(Operation operation);
Algorithm mpich_nonblocking(Operation operation, bool between_groups);

// Selector that simulates all algorithms for a call and chooses the fastest.
Algorithm best_selector(Operation operation);

// Choices of some selectors for single operations, which other selectors and algorithms also use.
Schedule default_reduce_scatter(Runner& run, Arguments args);
Schedule ompi_allreduce(Runner& run, Arguments args);
Schedule ompi_alltoall(Runner& run, Arguments args);
Schedule mpich_barrier(Runner& run, Arguments args);
Schedule mpich_bcast(Runner& run, Arguments args);
Schedule mpich_reduce(Runner& run, Arguments args);
Schedule mpich_allreduce(Runner& run, Arguments args);
Schedule mpich_reduce_scatter(Runner& run, Arguments args);
Schedule mpich_allgather(Runner& run, Arguments args);
Schedule mpich_allgatherv(Runner& run, Arguments args);
Schedule mvapich2_bcast(Runner& run, Arguments args);
Schedule mvapich2_reduce(Runner& run, Arguments args);
Schedule mvapich2_reduce_scatter(Runner& run, Arguments args);
Schedule mvapich2_gather(Runner& run, Arguments args);
Schedule mvapich2_scatter(Runner& run, Arguments args);
Schedule mvapich2_alltoall(Runner& run, Arguments args);

}  // namespace pysmpi
