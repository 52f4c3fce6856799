// Profiles: changes of hosts and links during a simulation.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace pysmpi {

// The kind of the values: bandwidth in bytes/s, latency in s, speed as a factor on the speed of the host's pstate, or a
// state, 0 for off and 1 for on.
enum class ProfileKind : std::uint8_t { kBandwidth, kLatency, kLinkState, kSpeed, kHostState };

struct Profile {
  struct Event {
    double date;  // s, counted from the beginning of the list
    double value;
  };
  ProfileKind kind;
  std::uint32_t target;       // number of the link or host
  std::vector<Event> events;  // at least one, by ascending date
  double loop_after;          // s from the last event until the list repeats; negative if it does not repeat
};

}  // namespace pysmpi
