// Choices by Open MPI's decision table (tables/openmpi.json), which the selectors `ompi` and `openmpi-4.1` share. They
// differ in the algorithms that have the table's numbers.
#pragma once

#include <array>
#include <cstddef>

#include "collectives/selectors/numbered.hpp"
#include "collectives/selectors/selectors.hpp"

namespace pysmpi::openmpi {

// Returns the number of the algorithm that Open MPI's table gives for this call.
int number_for(Operation operation, const Runner& run, const Arguments& args);

// Returns the number for MPI_Reduce_scatter_block, which has another table and other algorithms than
// MPI_Reduce_scatter. SMPI's selector uses those of MPI_Reduce_scatter for both.
int number_for_reduce_scatter_block(const Runner& run, const Arguments& args);

// Returns whether a call has no data, so that Open MPI returns at once. Its vector calls do so only if all counts are
// known to be 0 (ompi/mpi/c).
bool is_empty(Operation operation, const Runner& run, const Arguments& args);
Schedule without_messages(Runner& run, Arguments args);

template <Operation operation, Algorithm algorithm>
Schedule with_data(Runner& run, Arguments args) {
  return (is_empty(operation, run, args) ? without_messages : algorithm)(run, args);
}

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

// Runs Open MPI's algorithm for an alltoall with MPI_IN_PLACE.
Schedule exchange_in_place(Operation operation, Runner& run, const Arguments& args);

template <Operation operation, Algorithm otherwise>
Schedule unless_in_place(Runner& run, Arguments args) {
  return args.in_place ? exchange_in_place(operation, run, args) : otherwise(run, args);
}

// Returns the choices of the component coll/tuned with those of coll/basic, which serves all other operations.
Choices with_basic(Choices tuned);

}  // namespace pysmpi::openmpi
