// Notices when other programs have had the processor while ranks did not compute.
#pragma once

#include "base/simulation_part.hpp"

namespace pysmpi {

// Another program may take the processor away from the simulation between two intervals of computation, while the
// engine works. The next interval then begins with cold caches, like one that was interrupted itself. The processor
// clock of the ranks' thread shows this: it falls behind the wall clock.
//
// Example: an interval ends when both clocks have advanced by 3 ms. When the next one begins, the wall clock has
// advanced by 9 ms and the processor clock by 4 ms. So another program had the processor for 5 ms.
class Interruptions : public SimulationPart<Interruptions> {
 public:
  // Note that an interval begins at these times, in seconds: of the wall clock, and of the clock that measures
  // computation.
  void interval_begins(double wall, double measured) {
    const double lag = wall - measured;
    begins_cold_ = known_ && lag - lag_ > kInterruption;
    lag_ = lag;
    known_ = true;
  }

  // Note that an interval ends, which has lasted this long on both clocks. Returns whether another program had the
  // processor during the interval or just before it.
  bool interval_ends(double wall, double measured) {
    lag_ += wall - measured;
    return wall - measured > kInterruption || begins_cold_;
  }

 private:
  static constexpr double kInterruption = 2e-5;  // seconds

  double lag_ = 0.0;  // how far the measuring clock is behind the wall clock, in seconds
  bool known_ = false;
  bool begins_cold_ = false;
};

}  // namespace pysmpi
