// Equal intervals of a run's time, at most kMost of them. As long as it is not known how long the run will be, they are
// joined two by two when they become too many: between half of them and all are in use in the end.
#pragma once

#include <algorithm>
#include <cstddef>

namespace pysmpi {

class Intervals {
 public:
  static constexpr std::size_t kMost = 256;

  explicit Intervals(double shortest) : width_(shortest) {}

  double width() const { return width_; }  // s

  // Before something is added that lasts until then: `join` is called as often as neighbours are to be joined.
  void make_room(double until, const auto& join) {
    while (until >= width_ * kMost) {
      width_ *= 2;
      join();
    }
  }

  // `add(interval, seconds)` for each interval that some of that time lies in.
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
