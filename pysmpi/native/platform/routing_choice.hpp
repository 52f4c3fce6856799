// How a cluster chooses among the ways that lead from one host to another.
//
// Random choices are a hash of what they are for: two runs choose alike, in whatever order routes are asked for.
#pragma once

#include <cstdint>

namespace pysmpi {

enum class RoutingChoice : std::uint8_t {
  kOne,      // the one way that the topology's deterministic routing gives: minimal, D-mod-K in fat trees
  kRandom,   // fat trees: every port upwards, and every one of parallel cables, is drawn
  kValiant,  // by way of somewhere drawn at random (L. G. Valiant, "A scheme for fast parallel communication", SIAM
             // Journal on Computing 11(2), 1982)
  // Of the minimal way and one of Valiant's the one that costs less (A. Singh, "Load-balanced routing in
  // interconnection networks", PhD thesis, Stanford 2005; J. Kim et al., "Technology-driven, highly-scalable dragonfly
  // topology", ISCA 2008):
  kUgal,       // known are the loads of all links on the way (UGAL-G),
  kUgalLocal,  // or only that of the first one, whose queue a switch sees (UGAL-L)
};

// Numbers drawn for one message: a counter through the finaliser of G. L. Steele, D. Lea, C. H. Flood, "Fast splittable
// pseudorandom number generators", OOPSLA 2014.
class Draw {
 public:
  Draw() = default;
  Draw(std::uint64_t seed, std::uint32_t source, std::uint32_t destination, std::uint64_t message)
      : state_(mixed(mixed(mixed(seed) ^ (std::uint64_t{source} << 32 | destination)) ^ message)) {}

  // From 0 to count - 1; the bias is below count / 2^32.
  std::uint32_t below(std::uint32_t count) {
    state_ += 0x9e3779b97f4a7c15;
    return static_cast<std::uint32_t>((mixed(state_) >> 32) * count >> 32);
  }

 private:
  static std::uint64_t mixed(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
  }

  std::uint64_t state_ = 0;
};

}  // namespace pysmpi
