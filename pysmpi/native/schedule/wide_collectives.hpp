// Counts of collectives in which most ranks send as many messages as there are other ranks, so that the whole
// collective sends about P² messages on P ranks. The run's summary names them, because they make simulations of many
// ranks slow.
#pragma once

#include <cstdint>
#include <vector>

#include "base/simulation_part.hpp"

namespace pysmpi {

// Communicators of at most this many ranks are not counted: their collectives do not send many messages.
inline constexpr std::int32_t kFewRanks = 256;

struct WideCollective {
  const char* call;          // the MPI function
  std::int32_t size;         // ranks of the largest communicator
  std::uint64_t all, heavy;  // ranks' calls, and those in which the rank sent at least size - 1 messages
  std::uint64_t messages;    // number of messages sent in the heavy calls
};

struct WideCollectives : SimulationPart<WideCollectives> {
  std::vector<WideCollective> by_call;

  // Count a rank's part of a call on `size` ranks, in which it sent `sent` messages.
  void count(const char* call, std::int32_t size, std::uint32_t sent);
};

}  // namespace pysmpi
