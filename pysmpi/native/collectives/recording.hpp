// Recording of blocking collectives in time-independent traces (base/recorder.hpp).
#pragma once

#include "base/recorder.hpp"
#include "collectives/call.hpp"

namespace pysmpi {

// Records the running rank's call. A recorder must be active.
void record_collective(const CollectiveCall& call);

}  // namespace pysmpi
