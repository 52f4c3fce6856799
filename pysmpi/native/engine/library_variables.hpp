// Variables of C libraries of which each rank has its own (isolation/library_variables.cpp). While a rank waits, the
// addresses of these variables lead to the variables of another rank.
#pragma once

#include "base/types.hpp"

namespace pysmpi {

extern bool has_library_variables;  // a library is loaded of whose variables each rank has its own

// Return an address that leads to the running rank's data as long as the rank exists, whichever rank runs: the address
// itself, unless it belongs to such a variable. To be called in the rank.
void* find_permanent(const void* address);

template <class T>
T* permanent(T* address) {
  return has_library_variables ? static_cast<T*>(find_permanent(address)) : address;
}

// Call the functions that such libraries have registered for the end of the process (atexit), in the rank that ends.
void end_library_variables();

// Release the variables of a rank that has ended.
void release_library_variables(RankId rank);

}  // namespace pysmpi
