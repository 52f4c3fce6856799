// Waits of compiled libraries that let other ranks run.
#pragma once

#include "base/imports.hpp"

namespace pysmpi {

// Replace the functions that wait and wake in libraries that have been loaded since the last call. Called outside ranks
// when a simulation begins, and in ranks after that.
void follow_library_waits();

// Do so in one library.
void follow_waits(const LoadedObject& object);

}  // namespace pysmpi
