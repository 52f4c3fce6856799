// Libraries that keep one state in C variables, such as PETSc. All ranks would share it, so only one rank may use such
// a library. Which libraries these are is listed in pysmpi/simulation/isolation/single_libraries.py.
#pragma once

namespace pysmpi {

extern bool single_library_loaded;

// Look for such libraries, unless none has been loaded since the last call.
void look_for_single_libraries();

// Refuse an MPI call of such a library in a second rank. Returns true when the rank is being stopped.
bool refuse_second_rank(const char* function);

}  // namespace pysmpi
