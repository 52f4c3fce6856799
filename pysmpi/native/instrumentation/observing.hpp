// Function that starts an observer.
#pragma once

#include "base/observation.hpp"

namespace pysmpi {

// Notify the observer of all events from now on, beginning with the threads that exist. The simulation must be running,
// and remove_observer must be called before it ends.
void begin_observing(Observer& observer);

}  // namespace pysmpi
