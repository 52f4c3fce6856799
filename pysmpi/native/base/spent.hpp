// Use of a blocked rank's time, if that does not follow from what it waits for.
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
