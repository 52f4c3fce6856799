// Libraries that keep one state for the whole process in C variables, such as PETSc. All ranks would share this state,
// so only one rank may use such a library. The libraries are listed in pysmpi/simulation/isolation/single_libraries.py.
#pragma once

namespace pysmpi {

extern bool single_library_loaded;

// Look for such libraries, unless none has been loaded since the last call.
void look_for_single_libraries();

// If such a library calls MPI in a second rank, refuse the call. Returns true when the rank is being stopped.
bool refuse_second_rank(const char* function);

}  // namespace pysmpi
