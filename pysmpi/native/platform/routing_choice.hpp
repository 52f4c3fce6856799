// Routings: choices among several ways between two hosts of a cluster.
//
// Random choices are a hash of seed, hosts and message. Two runs therefore make the same choices, in whatever order
// routes are computed.
#pragma once

#include <cstdint>

namespace pysmpi {

enum class RoutingChoice : std::uint8_t {
  kOne,     // the deterministic route of the topology: minimal, or D-mod-K in fat trees
  kRandom,  // in fat trees: random ports upwards and random parallel cables
  // A route over a random node (L. G. Valiant, "A scheme for fast parallel communication", SIAM Journal on Computing
  // 11(2), 1982).
  kValiant,
  // UGAL-G and UGAL-L: the cheaper one of the minimal route and a route as in kValiant. UGAL-G compares the loads of
  // all links. UGAL-L compares only the load of the first link, whose queue a switch sees (A. Singh, "Load-balanced
  // routing in interconnection networks", PhD thesis, Stanford 2005; J. Kim et al., "Technology-driven, highly-scalable
  // dragonfly topology", ISCA 2008).
  kUgal,
  kUgalLocal,
  kTurns,  // in fat trees: the packets of a message take the ports upwards in turn, from a random one on
  // UGAL-L as SST/macro 7.1 computes it: the length of a detour is that of the minimal walk plus that of the walk from
  // the middle router to the destination. As long as a packet is on its minimal walk, each switch makes the choice
  // again.
  kUgalSst7,
};

// Random numbers for one message: a counter, hashed by the finaliser of G. L. Steele, D. Lea, C. H. Flood, "Fast
// splittable pseudorandom number generators", OOPSLA 2014.
class Draw {
 public:
  Draw() = default;
  Draw(std::uint64_t seed, std::uint32_t source, std::uint32_t destination, std::uint64_t message)
      : state_(mixed(mixed(mixed(seed) ^ (std::uint64_t{source} << 32 | destination)) ^ message)) {}

  // Returns a number from 0 to count - 1; the bias is below count / 2^32.
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
