// Whose decisions there are: a selector knows for each operation a function that looks at the call and turns to an
// algorithm.
#pragma once

#include <span>

#include "collectives/catalogue.hpp"

namespace pysmpi {

struct Selector {
  const char* name;                             // --cfg=smpi/coll-selector:NAME
  Algorithm (*algorithm)(Operation operation);  // never null
};

std::span<const Selector> selectors();  // the first is the default

// What carries out each operation that a library decides on: an algorithm, or a function that turns to one. The others
// are the default selector's.
struct Choices {
  Algorithm barrier, bcast, reduce, allreduce, reduce_scatter, gather, scatter, allgather, allgatherv, alltoall,
      alltoallv;
  Algorithm of(Operation operation) const;
};

// SMPI's.
Algorithm default_selector(Operation operation);
Algorithm ompi_selector(Operation operation);
Algorithm mpich_selector(Operation operation);
Algorithm mvapich2_selector(Operation operation);
Algorithm impi_selector(Operation operation);

// The libraries as they are.
Algorithm openmpi41_selector(Operation operation);
Algorithm openmpi50_selector(Operation operation);
Algorithm mpich4_selector(Operation operation);

// Whatever turns out to be the fastest here.
Algorithm best_selector(Operation operation);

// Those that other selectors and algorithms turn to.
Schedule default_reduce_scatter(Runner& run, Arguments a);
Schedule ompi_allreduce(Runner& run, Arguments a);
Schedule ompi_alltoall(Runner& run, Arguments a);
Schedule mpich_barrier(Runner& run, Arguments a);
Schedule mpich_bcast(Runner& run, Arguments a);
Schedule mpich_reduce(Runner& run, Arguments a);
Schedule mpich_allreduce(Runner& run, Arguments a);
Schedule mpich_reduce_scatter(Runner& run, Arguments a);
Schedule mpich_allgather(Runner& run, Arguments a);
Schedule mpich_allgatherv(Runner& run, Arguments a);
Schedule mvapich2_bcast(Runner& run, Arguments a);
Schedule mvapich2_reduce(Runner& run, Arguments a);
Schedule mvapich2_reduce_scatter(Runner& run, Arguments a);
Schedule mvapich2_gather(Runner& run, Arguments a);
Schedule mvapich2_scatter(Runner& run, Arguments a);
Schedule mvapich2_alltoall(Runner& run, Arguments a);

}  // namespace pysmpi
