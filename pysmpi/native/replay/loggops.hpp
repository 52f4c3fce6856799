// The LogGOPS machine: what LogGOPSim makes of a GOAL program (Hoefler, Schneider, Lumsdaine, "LogGOPSim - Simulating
// Large-Scale Applications in the LogGOPS Model", HPDC 2010), event for event and with its order of what is
// simultaneous, so that its times come out. No platform, no routes: a rank is a host.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"
#include "replay/goal.hpp"

namespace pysmpi {

struct LogGopsParameters {  // ns; S: bytes
  double latency, overhead, overhead_per_byte, gap, gap_per_byte;
  std::int64_t rendezvous_above;
};

struct LogGopsOutcome {
  std::vector<double> end_times;  // by rank, ns
  std::uint64_t events = 0, messages = 0, bytes = 0;
  OperationId stuck = kNone;  // the first operation that never ends; kNone: all do
  std::uint32_t left = 0;     // operations that never end
};

LogGopsOutcome run_loggops(const GoalProgram& program, const LogGopsParameters& parameters);

}  // namespace pysmpi
