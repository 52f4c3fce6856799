// Noise of the operating system: detours, in which a core does something else while a rank computes.
#pragma once

#include <cstdint>
#include <vector>

#include "base/simulation_part.hpp"
#include "base/types.hpp"

namespace pysmpi {

// Detours begin at random times (a Poisson process), and each lasts as long as one of the measured detours, drawn at
// random. Each rank has its own sequence of random numbers. By default there are no detours.
//
// Example: with 100 detours/s of 1 ms each, a computation of 1 s meets about 100 detours and takes about 1.1 s. Cutting
// it into ten computations of 0.1 s changes nothing: the time to the next detour continues from one to the next.
class Detours : public SimulationPart<Detours> {
 public:
  // Let ranks meet `rate` detours in each second of computation, with lengths (seconds) drawn from `lengths`, which
  // must not be empty. Rank r draws from the random sequence `first` + r of the seed.
  void set(double rate, std::vector<double> lengths, std::uint64_t seed, std::uint32_t first);
  bool any() const { return rate_ > 0.0; }

  // Return the seconds of the detours that the rank meets during its next `seconds` of computation.
  double during(RankId rank, double seconds);

  std::uint64_t count() const { return count_; }  // detours of all ranks so far
  double seconds() const { return seconds_; }     // total length of these detours

 private:
  struct Rank {
    std::uint64_t state;
    double until_next;  // seconds of computation until the next detour
  };
  Rank& of(RankId rank);
  double until_next(Rank& rank) const;

  double rate_ = 0.0;  // detours per second of computation
  std::vector<double> lengths_;
  double mean_ = 0.0, mean_square_ = 0.0;  // mean of the lengths (s) and of their squares (s^2)
  std::uint64_t seed_ = 0, first_ = 0;
  std::vector<Rank> ranks_;
  std::uint64_t count_ = 0;
  double seconds_ = 0.0;
};

}  // namespace pysmpi
