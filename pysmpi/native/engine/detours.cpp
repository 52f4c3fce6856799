// Noise of the operating system: detours, in which a core does something else while a rank computes.
#include "engine/detours.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace pysmpi {

namespace {

// With more detours than this in one computation, their sum is drawn at once, from the normal distribution that it
// approaches.
constexpr double kMany = 1e4;

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;

// The finaliser of G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

// Return a random number in (0, 1].
double uniform(std::uint64_t& state) {
  state += kGolden;
  return static_cast<double>((mixed(state) >> 11) + 1) * 0x1p-53;
}

double normal(std::uint64_t& state) {
  const double radius = std::sqrt(-2.0 * std::log(uniform(state)));
  return radius * std::cos(2.0 * std::numbers::pi * uniform(state));
}

}  // namespace

void Detours::set(double rate, std::vector<double> lengths, std::uint64_t seed, std::uint32_t first) {
  rate_ = rate;
  lengths_ = std::move(lengths);
  mean_ = mean_square_ = 0.0;
  for (const double length : lengths_) {
    mean_ += length / static_cast<double>(lengths_.size());
    mean_square_ += length * length / static_cast<double>(lengths_.size());
  }
  seed_ = seed;
  first_ = first;
}

double Detours::during(RankId number, double seconds) {
  Rank& rank = of(number);
  const double expected = seconds * rate_;
  double lost = 0.0;
  if (expected > kMany) {
    lost = std::max(0.0, expected * mean_ + std::sqrt(expected * mean_square_) * normal(rank.state));
    count_ += static_cast<std::uint64_t>(std::llround(expected));
  } else {
    for (; rank.until_next <= seconds; rank.until_next = until_next(rank), ++count_) {
      seconds -= rank.until_next;
      const auto drawn = static_cast<std::size_t>(uniform(rank.state) * static_cast<double>(lengths_.size()));
      lost += lengths_[std::min(drawn, lengths_.size() - 1)];
    }
    rank.until_next -= seconds;
  }
  seconds_ += lost;
  return lost;
}

Detours::Rank& Detours::of(RankId number) {
  while (ranks_.size() <= static_cast<std::size_t>(number)) {
    Rank rank{mixed(mixed(seed_) + kGolden * (first_ + ranks_.size() + 1)), 0.0};
    rank.until_next = until_next(rank);
    ranks_.push_back(rank);
  }
  return ranks_[static_cast<std::size_t>(number)];
}

double Detours::until_next(Rank& rank) const { return -std::log(uniform(rank.state)) / rate_; }

}  // namespace pysmpi
