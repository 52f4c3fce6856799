// Support for collectives whose ranks describe the same data with different datatypes.
//
// For example, the root broadcasts 10 columns of a matrix, and the others receive 10,000 numbers. Algorithms cut blocks
// between elements and compute with the number of elements, which must agree on all ranks. The rank that enters first
// therefore defines the element length. Ranks with another element length work on a copy of their data in elements of
// that length. The copy takes no simulated time, and no copy is made if all ranks agree.
#pragma once

#include "collectives/arguments.hpp"
#include "schedule/ledger.hpp"

namespace pysmpi {

// Stores in `signature` the element lengths that must agree with those of other ranks.
void note_elements(Operation operation, const Arguments& args, CollectiveSignature& signature);

// Returns the collective's schedule by the algorithm, or by the chosen one if it is null. `sent` and `received` are the
// element lengths that all ranks must use; size 0 means that they need not agree. If this rank's elements have another
// length, the schedule works on copies of its buffers.
Schedule collective_in_elements(Operation operation, Runner& run, const Arguments& args, const ElementLength& sent,
                                const ElementLength& received, Algorithm algorithm = nullptr);

}  // namespace pysmpi
