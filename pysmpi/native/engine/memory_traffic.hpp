// Computations that move bytes through the memory of a host that messages cross as well (network/node_ways.hpp).
// Each is a flow of the network over the memory's link, so that computations and messages share it by max-min fairness.
// A computation of V bytes and F flops takes the longer of F / speed and V / (its share of the memory): the roofline
// model (S. Williams, A. Waterman, D. Patterson, Communications of the ACM 52(4), 2009) for each moment, not on
// average.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"
#include "base/waiter.hpp"

namespace pysmpi {

class Carrier;
class EnergyMeter;

class MemoryTraffic {
 public:
  // Start a computation that reads or writes `bytes` bytes and takes `seconds` if it is alone. When it ends, one
  // completion of the waiter is counted, so the caller must have included it in Waiter::pending.
  struct Computation {
    HostId host;
    RankId rank;
    double bytes;
    double seconds;
    Waiter* waiter;
  };
  void start(double now, std::uint64_t order, const Computation& computation, Carrier& carrier, EnergyMeter* energy);

  // Return whether a token that the carrier has returned belongs to a computation, not to a message.
  static bool owns(std::uint32_t token) { return (token & kMark) != 0; }
  void finished(double now, std::uint32_t token, EnergyMeter* energy);

  void fail(double now, HostId host, Carrier& carrier, EnergyMeter* energy);  // ends all computations of the host
  std::size_t under_way() const { return flows_.size() - free_.size(); }

 private:
  static constexpr std::uint32_t kMark = std::uint32_t{1} << 31;  // tokens of messages are far below this
  struct Flow {
    HostId host = kNone;
    RankId rank = 0;
    Waiter* waiter = nullptr;  // null if this element is unused
    FlowId number = kNone;
  };
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> free_;  // indices of unused elements of flows_
};

}  // namespace pysmpi
