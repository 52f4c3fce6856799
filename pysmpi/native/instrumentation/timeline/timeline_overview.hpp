// What ranks do over time, in bounded memory: the seconds in each state by interval of the run, for at most kMostRows
// rows of ranks. As it is not known how many ranks a program will spawn, rows too are joined two by two when they
// become too many.
#pragma once

#include <cstddef>
#include <vector>

#include "base/types.hpp"
#include "instrumentation/intervals.hpp"

namespace pysmpi {

class TimelineOverview {
 public:
  static constexpr std::size_t kMostRows = 256;
  static constexpr std::size_t kStates = 10;  // computation, and the categories of a profile that are none

  void add_rank(RankId rank);
  // A rank that has been added was in this state.
  void add(RankId rank, std::size_t state, double begun, double until);

  double width() const { return intervals_.width(); }  // of an interval, s
  RankId ranks_per_row() const { return ranks_per_row_; }
  std::size_t rows() const { return seconds_.size() / kRowSize; }
  // By row, interval and state.
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
