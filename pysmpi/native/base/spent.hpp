// Reasons for which simulated time passes in a blocked rank, such as a call overhead or a poll. kOther stands for all
// other waits, such as waiting for a message.
#pragma once

#include <cstdint>

namespace pysmpi {

enum class Spent : std::uint8_t {
  kOther,
  kComputing,
  kAsleep,
  kSendOverhead,     // smpi/os, smpi/ois
  kReceiveOverhead,  // smpi/or
  kWorkingOnData,    // combining and copying in collectives (schedule/local_work.hpp)
  kPolling,          // asking whether something is complete, or reading the clock
};

}  // namespace pysmpi
