// Abilities of a loaded library's code, judged by the symbols that it imports.
#pragma once

#include "base/imports.hpp"

namespace pysmpi {

// Return whether a symbol is the name of an MPI function of C or Fortran.
bool is_mpi_function(const char* symbol);

// Return whether the library imports a symbol for which `concerns` returns true.
bool imports_symbol(const LoadedObject& object, bool (*concerns)(const char* symbol));

// Return whether the library itself calls a function that starts a thread.
bool starts_threads(const LoadedObject& object);

}  // namespace pysmpi
