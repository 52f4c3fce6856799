// An overview of what ranks do over time, in bounded memory: seconds in each state, by interval of the run and by row
// of ranks. There are at most kMostRows rows. When a rank is added for which no row is left, neighbouring rows are
// joined in pairs.
#pragma once

#include <cstddef>
#include <vector>

#include "base/types.hpp"
#include "instrumentation/intervals.hpp"

namespace pysmpi {

class TimelineOverview {
 public:
  static constexpr std::size_t kMostRows = 256;
  // State 0 is computation; the others are the profile's remaining categories.
  static constexpr std::size_t kStates = 11;

  void add_rank(RankId rank);
  // Record that the rank was in this state from `begun` to `until` (simulated seconds). The rank must have been added.
  void add(RankId rank, std::size_t state, double begun, double until);

  double width() const { return intervals_.width(); }  // seconds per interval
  RankId ranks_per_row() const { return ranks_per_row_; }
  std::size_t rows() const { return seconds_.size() / kRowSize; }
  // Seconds, indexed by row of ranks, then interval, then state.
  const std::vector<double>& seconds() const { return seconds_; }

 private:
  static constexpr std::size_t kRowSize = Intervals::kMost * kStates;
  void join_intervals();
  void join_rows();

  Intervals intervals_{1e-9};
  RankId ranks_per_row_ = 1;
  std::vector<double> seconds_;
};

}  // namespace pysmpi
