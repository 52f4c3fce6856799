// Sums up measured intervals of computation, and shortens those in which another program took the processor away.
#include "engine/measured_intervals.hpp"

#include <algorithm>

namespace pysmpi {

namespace {

constexpr double kInterruption = 2e-5;  // least difference of the clocks in an interrupted interval, in seconds
constexpr double kShort = 1e-3;         // interruptions of longer intervals do not matter

}  // namespace

double MeasuredIntervals::add(const Interval& interval) {
  ++count_;
  seconds_ += interval.seconds;
  wall_ += interval.wall;
  const bool was_interrupted = interval.wall - interval.seconds > kInterruption;
  if (was_interrupted) ++interrupted_;
  if (interval.seconds > kShort) return interval.seconds;
  Uninterrupted& others = places_[{interval.from, interval.to}];
  if (was_interrupted) {
    const double mean = others.count ? others.seconds / static_cast<double>(others.count) : interval.seconds;
    return std::min(interval.seconds, mean);
  }
  ++others.count;
  others.seconds += interval.seconds;
  return interval.seconds;
}

}  // namespace pysmpi
