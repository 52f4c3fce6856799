// Loops of compiled programs of which a few iterations run and are timed, while the others take the mean of their
// times. The rules are those of simulation/compute/sampling.py.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/simulation_part.hpp"
#include "base/types.hpp"

namespace pysmpi {

class SampledLoops : public SimulationPart<SampledLoops> {
 public:
  SampledLoops() = default;

  // Addresses that functions of programs have returned, by the function and its input (SMPI_SHARED_CALL).
  std::map<std::pair<std::string, std::string>, void*> results;

  // Begin an iteration of the running rank's loop at a place of the source; `is_global` says that all ranks share their
  // measurements. `runs` tells whether the iteration is to run. To be called before each iteration.
  void begin_iteration(const std::string& place, bool is_global, int count, double threshold);
  bool runs() const;
  void end_iteration();
  void end_loop();  // adds the time of all iterations to the rank's computation

 private:
  struct Measurements {
    int count = 0;
    double mean = 0.0;     // seconds
    double squares = 0.0;  // sum of the squared deviations from the mean
    void add(double seconds);
    bool suffice(int most, double threshold) const;
  };
  // A loop in progress. A loop inside a sampled one runs as if it were not sampled.
  struct Loop {
    std::string place;
    Measurements* measurements;
    std::int64_t iterations = 0;
    bool measures = false;
  };

  Loop* innermost();

  std::unordered_map<std::string, Measurements> measurements_;  // by place, and by rank if it is not global
  std::unordered_map<RankId, std::vector<Loop>> loops_;         // of each rank, the innermost last
};

extern template class SimulationPart<SampledLoops>;

}  // namespace pysmpi
