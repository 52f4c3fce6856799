// The LogGOPS machine of LogGOPSim (Hoefler, Schneider, Lumsdaine, "LogGOPSim - Simulating Large-Scale Applications in
// the LogGOPS Model", HPDC 2010). It processes the same events in the same order, including simultaneous ones, so that
// it reproduces LogGOPSim's times. The model has no platform and no routes: each rank is a host.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/goal.hpp"
#include "replay/goal_waits.hpp"

namespace pysmpi {

// Times in ns, per-byte values in ns per byte; rendezvous_above (the S of LogGOPS) in bytes.
struct LogGopsParameters {
  double latency, overhead, overhead_per_byte, gap, gap_per_byte;
  std::int64_t rendezvous_above;
};

// The result of a run, including a run in which some operations never end.
struct LogGopsOutcome {
  std::vector<double> end_times;  // end time of each rank in ns
  std::uint64_t events = 0, messages = 0, bytes = 0;
  std::vector<GoalWait> waits;  // operations that wait for ever; empty if all end
};

LogGopsOutcome run_loggops(const GoalProgram& program, const LogGopsParameters& parameters);

}  // namespace pysmpi
