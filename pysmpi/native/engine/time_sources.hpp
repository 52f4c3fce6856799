// The sources of computation time: measured, sampled, modelled or injected. A run reports the time from each source, so
// that users can judge the prediction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace pysmpi {

enum class TimeSource : std::uint8_t {
  kMeasured,  // code between MPI calls, timed on this machine
  kSampled,   // mean of measurements of the same code
  kModelled,  // model of a routine
  kInjected,  // given by the program
};
constexpr std::size_t kTimeSources = 4;

// Amounts of computation, in flops or seconds, by the source of the time: measured, sampled, modelled or injected.
struct BySource {
  std::array<double, kTimeSources> amounts{};
  double& operator[](TimeSource source) { return amounts[static_cast<std::size_t>(source)]; }
  double total() const { return std::accumulate(amounts.begin(), amounts.end(), 0.0); }
};

inline BySource injected(double flops) {
  BySource only;
  only[TimeSource::kInjected] = flops;
  return only;
}

// Totals of the time that ranks spent, for the run summary.
struct TimeSpent {
  BySource computed;                 // simulated seconds, summed over ranks and their threads
  double asleep = 0.0;               // simulated seconds of sleeps
  double on_data = 0.0;              // simulated seconds of combining and copying in MPI
  double ignored = 0.0;              // measured seconds in intervals below smpi/cpu-threshold
  std::uint64_t free_stretches = 0;  // number of computation intervals that are declared to take no time
  double of_ended = 0.0;             // simulated seconds from start to end, summed over ended fibers
};

}  // namespace pysmpi
