// Begins the observation of a simulation that is under way.
#pragma once

#include "base/observer.hpp"

namespace pysmpi {

// Notify the observer of the existing threads, then add it to the list. Remove it (remove_observer) before the
// simulation ends.
void begin_observing(Observer& observer);

}  // namespace pysmpi
