// Equal intervals of the simulated time, at most kMost. Since the length of a run is not known in advance, neighbouring
// intervals are joined whenever there are too many. At the end of the run, between half and all of kMost intervals are
// in use. Example with kMost = 4 and a width of 1 s: time 4.5 s does not fit, so the width becomes 2 s and the seconds
// of intervals 0 and 1, and of 2 and 3, are added up.
#pragma once

#include <algorithm>
#include <cstddef>

namespace pysmpi {

class Intervals {
 public:
  static constexpr std::size_t kMost = 256;

  explicit Intervals(double shortest) : width_(shortest) {}

  double width() const { return width_; }  // seconds

  // Make the intervals cover times up to `until`. Calls `join` each time that the caller must join its values in pairs.
  void make_room(double until, const auto& join) {
    while (until >= width_ * kMost) {
      width_ *= 2;
      join();
    }
  }

  // Call `add(interval, seconds)` for each interval that overlaps the time from `begun` to `until`.
  void divide(double begun, double until, const auto& add) const {
    const auto first = static_cast<std::size_t>(begun / width_), last = static_cast<std::size_t>(until / width_);
    for (std::size_t i = first; i <= last; ++i) {
      const double from = std::max(begun, static_cast<double>(i) * width_);
      const double to = std::min(until, static_cast<double>(i + 1) * width_);
      if (to > from) add(i, to - from);
    }
  }

 private:
  double width_;
};

}  // namespace pysmpi
