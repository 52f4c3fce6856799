// Measures iterations of loops.
#include "executables/sampled_loops.hpp"

#include <cmath>

#include "engine/computation.hpp"
#include "engine/simulation.hpp"

namespace pysmpi {

template class SimulationPart<SampledLoops>;

void SampledLoops::Measurements::add(double seconds) {  // Welford's update
  ++count;
  const double before = seconds - mean;
  mean += before / count;
  squares += before * (seconds - mean);
}

bool SampledLoops::Measurements::suffice(int most, double threshold) const {
  if (count == 0) return false;
  if (count >= most) return true;
  const double error = mean > 0.0 ? std::sqrt(squares) / count / mean : 0.0;
  return threshold > 0.0 && count >= 2 && error < threshold;
}

SampledLoops::Loop* SampledLoops::innermost() {
  const auto found = loops_.find(Simulation::running);
  return found == loops_.end() || found->second.empty() ? nullptr : &found->second.back();
}

void SampledLoops::begin_iteration(const std::string& place, bool is_global, int count, double threshold) {
  std::vector<Loop>& loops = loops_[Simulation::running];
  if (loops.empty() || loops.back().place != place) {
    const bool is_inside = !loops.empty();
    const std::string key = is_global ? place : place + '@' + std::to_string(Simulation::running);
    loops.push_back({place, is_inside ? nullptr : &measurements_[key]});
    if (!is_inside) begin_sampled_block();
  }
  Loop& loop = loops.back();
  ++loop.iterations;
  loop.measures = loop.measurements && !loop.measurements->suffice(count, threshold);
  if (loop.measures) begin_sampled_block();
}

bool SampledLoops::runs() const {
  const auto found = loops_.find(Simulation::running);
  return found == loops_.end() || found->second.empty() || !found->second.back().measurements ||
         found->second.back().measures;
}

void SampledLoops::end_iteration() {
  Loop* const loop = innermost();
  if (!loop || !loop->measures) return;
  const double seconds = end_sampled_block();
  if (seconds >= 0.0) loop->measurements->add(seconds);
}

void SampledLoops::end_loop() {
  const Loop* const loop = innermost();
  if (!loop) return;
  if (loop->measurements) end_sampling(loop->measurements->mean * static_cast<double>(loop->iterations));
  loops_[Simulation::running].pop_back();
}

}  // namespace pysmpi
