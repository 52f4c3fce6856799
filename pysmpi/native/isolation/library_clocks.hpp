// Clocks and sleeps of a compiled library.
#pragma once

#include "base/imports.hpp"

namespace pysmpi {

// Let a library read the simulated clock in ranks, and sleep on it.
void follow_clocks(const LoadedObject& object);

}  // namespace pysmpi
