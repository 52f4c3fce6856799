// Traffic at full load without ranks, for tests of network models: each host keeps a number of messages under way and
// sends the next one when one has arrived. Networks of packets show here whether they can deadlock, and the rate that a
// topology and its routing reach under a pattern of traffic.
#pragma once

#include <cstdint>
#include <span>

#include "base/types.hpp"

namespace pysmpi {

class Platform;

struct TrafficPlan {
  std::span<const HostId> destinations;  // one for each host; a host that is its own destination sends nothing
  std::uint64_t messages;                // number of messages that all hosts send together
  std::uint32_t under_way;               // number of messages that each host keeps under way
  double bytes;                          // size of each message
  std::uint64_t seed;                    // seed of random destinations
};

struct TrafficOutcome {
  std::uint64_t sent = 0, arrived = 0;
  double seconds = 0.0;  // time of the last arrival
  // Bytes per second that all hosts receive together, measured while the third to eighth tenth of the messages arrive.
  double rate = 0.0;
};

// Carries the messages under the options' network model. Without destinations, each message goes to a random host other
// than its sender.
TrafficOutcome carry_traffic(const Platform& platform, const TrafficPlan& plan);

}  // namespace pysmpi
