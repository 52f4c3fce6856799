// Variables of loaded C libraries, for each rank. PETSc, for example, stores its rank, its options and its
// communicators in static variables, of which a process has its own. The pages with these variables are exchanged
// whenever another rank runs (isolation/own_pages.hpp). A rank begins with the values right after the library was
// loaded.
#pragma once

#include "base/types.hpp"

namespace pysmpi {

// Look for libraries that have been loaded. Called after functions of Python that load some, too, and before any
// function of the library has been called.
void follow_library_variables();

// Put the variables of a rank in place. Does nothing for the main greenlet (-1), which uses none of these libraries.
void put_library_variables(RankId rank);

}  // namespace pysmpi
