// Ranks may describe the same data in elements of different datatypes: a root broadcasts a column of a matrix, which
// the others receive as so many numbers. Algorithms cut blocks between elements, and go by their lengths and numbers,
// which has to come out the same on all ranks. So those whose elements are of other lengths than those of the rank that
// called first work on copies in elements like these. (No simulated time passes; where all agree, nothing is copied.)
#pragma once

#include "collectives/arguments.hpp"
#include "schedule/ledger.hpp"

namespace pysmpi {

// Which elements of this call have to be like those of other ranks.
void note_elements(Operation operation, const Arguments& a, CollectiveSignature& signature);

// The collective by the chosen algorithm, in these elements where they matter.
Schedule collective_in_elements(Operation operation, Runner& run, const Arguments& a, const ElementLength& sent,
                                const ElementLength& received);

}  // namespace pysmpi
