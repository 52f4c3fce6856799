// What the time goes to that passes while a rank is blocked, where that does not follow from what it waits for.
#pragma once

#include <cstdint>

namespace pysmpi {

enum class Spent : std::uint8_t {
  kOther,
  kComputing,
  kAsleep,
  kSendOverhead,     // smpi/os, smpi/ois
  kReceiveOverhead,  // smpi/or
  kPolling,          // asking whether something is there, and looking at the clock
};

}  // namespace pysmpi
