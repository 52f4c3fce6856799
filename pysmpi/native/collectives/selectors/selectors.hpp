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

Algorithm default_selector(Operation operation);

// Those that other selectors turn to.
Schedule ompi_allreduce(Runner& run, Arguments a);
Schedule ompi_alltoall(Runner& run, Arguments a);
Schedule mpich_reduce(Runner& run, Arguments a);
Schedule mpich_allreduce(Runner& run, Arguments a);
Schedule mpich_barrier(Runner& run, Arguments a);
Schedule mpich_bcast(Runner& run, Arguments a);
Schedule mpich_reduce_scatter(Runner& run, Arguments a);
Schedule mpich_allgather(Runner& run, Arguments a);
Schedule mpich_allgatherv(Runner& run, Arguments a);

}  // namespace pysmpi
