// Overview of ranks' activities in bounded memory.
#include "instrumentation/timeline/timeline_overview.hpp"

#include <algorithm>

namespace pysmpi {

void TimelineOverview::add_rank(RankId rank) {
  const auto row_of = [&] { return static_cast<std::size_t>(rank / ranks_per_row_); };
  while (row_of() >= kMostRows) join_rows();
  if (row_of() >= rows()) seconds_.resize((row_of() + 1) * kRowSize);
}

void TimelineOverview::add(RankId rank, std::size_t state, double begun, double until) {
  intervals_.make_room(until, [this] { join_intervals(); });
  double* const row = &seconds_[static_cast<std::size_t>(rank / ranks_per_row_) * kRowSize];
  intervals_.divide(begun, until, [&](std::size_t i, double seconds) { row[i * kStates + state] += seconds; });
}

void TimelineOverview::join_intervals() {
  constexpr std::size_t kHalf = Intervals::kMost / 2 * kStates;
  for (std::size_t row = 0; row < rows(); ++row) {
    double* const seconds = &seconds_[row * kRowSize];
    for (std::size_t i = 0; i < Intervals::kMost / 2; ++i) {
      const double* const pair = seconds + 2 * i * kStates;
      for (std::size_t state = 0; state < kStates; ++state) {
        seconds[i * kStates + state] = pair[state] + pair[kStates + state];
      }
    }
    std::fill(seconds + kHalf, seconds + kRowSize, 0.0);
  }
}

void TimelineOverview::join_rows() {
  ranks_per_row_ *= 2;
  const std::size_t after = (rows() + 1) / 2;
  seconds_.resize(2 * after * kRowSize);
  for (std::size_t row = 0; row < after; ++row) {
    const double* const pair = &seconds_[2 * row * kRowSize];
    for (std::size_t i = 0; i < kRowSize; ++i) seconds_[row * kRowSize + i] = pair[i] + pair[kRowSize + i];
  }
  seconds_.resize(after * kRowSize);
}

}  // namespace pysmpi
