// Signals of interval timers that ranks have set: a Python function is called at a given simulated time.
#pragma once

#include <unordered_map>

#include "base/dated_entry.hpp"
#include "base/simulation_part.hpp"
#include "base/types.hpp"

namespace pysmpi {

class Signals : public SimulationPart<Signals> {
 public:
  // Send the rank a signal once `time` (simulated seconds) has been reached, which means that its first fiber calls the
  // function given to set_signal_function; kNever for no signal.
  void set(RankId rank, double time);

  // If the time of the rank's signal has been reached, make the interpreter call the function given to
  // set_signal_function before the next instruction of the program. To be called in the rank's first fiber at the end
  // of a blocking call.
  void look(RankId rank, double now) {
    if (now >= earliest_) ask_interpreter(rank, now);
  }

 private:
  void ask_interpreter(RankId rank, double now) const;

  std::unordered_map<RankId, double> times_;
  double earliest_ = kNever;
};

// Set the Python function that the first fiber of a rank calls when the time of the rank's signal has been reached. Its
// exceptions are raised in the program. The reference is borrowed.
void set_signal_function(void* function);

}  // namespace pysmpi
