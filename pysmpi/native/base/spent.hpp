// Use of a blocked rank's time, if the use does not follow from the awaited event.
#pragma once

#include <cstdint>

namespace pysmpi {

enum class Spent : std::uint8_t {
  kOther,
  kComputing,
  kAsleep,
  kSendOverhead,     // smpi/os, smpi/ois
  kReceiveOverhead,  // smpi/or
  kPolling,          // asking whether something is complete, or reading the clock
};

}  // namespace pysmpi
