// Blocking collectives in time-independent traces (base/recorder.hpp).
#pragma once

#include "base/recorder.hpp"
#include "collectives/call.hpp"

namespace pysmpi {

// The running rank enters it. Somebody records.
void record_collective(const CollectiveCall& call);

}  // namespace pysmpi
