// Where the time that ranks take comes from, so that a run can say what its prediction rests on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace pysmpi {

enum class TimeSource : std::uint8_t {
  kMeasured,  // code between MPI calls, timed here
  kSampled,   // the mean of measurements of the same code
  kModelled,  // a model of a routine
  kInjected,  // what the program has said
};
constexpr std::size_t kTimeSources = 4;

// By source: flops, or seconds.
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

struct TimeSpent {
  BySource computed;                 // simulated seconds, summed over ranks and their threads
  double asleep = 0.0;               // the same, of sleeps
  double ignored = 0.0;              // seconds measured here in stretches below smpi/cpu-threshold
  std::uint64_t free_stretches = 0;  // from one MPI call to the next, that take no time by declaration
  double of_ended = 0.0;             // simulated seconds from beginning to end of the fibers that have ended
};

}  // namespace pysmpi
