// How a host or a link changes during a simulation, as its description has it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace pysmpi {

// Bandwidth in bytes/s, latency in s, speed as a factor of the speed of the host's pstate, states as 0 (off) or 1.
enum class ProfileKind : std::uint8_t { kBandwidth, kLatency, kLinkState, kSpeed, kHostState };

struct Profile {
  struct Event {
    double date;  // s from the beginning of the list
    double value;
  };
  ProfileKind kind;
  std::uint32_t target;       // a link or a host, as the kind has it
  std::vector<Event> events;  // at least one, in the order of their dates
  double loop_after;          // s from the last event until the list begins again; negative: it does not
};

}  // namespace pysmpi
