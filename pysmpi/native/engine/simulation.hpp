// The discrete-event engine: simulated clock, ready fibers, timers, computations, and the loop that joins them to the
// network. One simulation exists at a time in a process.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "engine/fiber.hpp"
#include "engine/processor.hpp"
#include "engine/timers.hpp"
#include "engine/types.hpp"
#include "network/network.hpp"
#include "platform/platform.hpp"

namespace pysmpi {

struct SimulationCounters {
  std::uint64_t messages = 0;  // matched point-to-point messages, those inside collectives included
  std::uint64_t bytes = 0;
  std::uint64_t events = 0;    // clock advances' events: timers, computations, flows
  std::uint64_t switches = 0;
  std::uint64_t probes = 0;    // failed probes and tests
};

class Simulation {
 public:
  double now = 0.0;
  Network network;
  Timers timers;
  Processors processors;
  SimulationCounters counters;
  std::vector<Fiber> fibers;        // one a rank, in rank order
  std::deque<RankId> ready;         // in the order they became ready
  std::vector<HostId> rank_host;
  RankId running = -1;              // -1: the main greenlet

  // Advances the clock to the next event and handles all that happens then. False when nothing will ever happen.
  bool advance();

  void make_ready(RankId rank);
};

// The simulation being run. Valid between simulation_begin and simulation_end (engine/control.h).
Simulation& simulation();
bool simulation_active();

}  // namespace pysmpi
