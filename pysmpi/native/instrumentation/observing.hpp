// How observation begins, for those who observe.
#pragma once

#include "base/observation.hpp"

namespace pysmpi {

// From now on the observer is told what happens; first, which threads there are. A simulation is under way, and the
// observer is removed (remove_observer) before it ends.
void begin_observing(Observer& observer);

}  // namespace pysmpi
