// Memory of hosts. What ranks of one host move through it at the same time shares its bandwidth max-min fairly: the
// bandwidth is divided evenly, and what one cannot use, as it moves no more than it would alone, the others have. One
// core seldom saturates the memory of a large node, several do (J. D. McCalpin, "Memory bandwidth and machine balance
// in current high performance computers", TCCA Newsletter 1995: STREAM; J. Langguth, X. Cai, M. Sourouri, "Memory
// bandwidth contention: communication vs computation tradeoffs in supercomputers with multicore architectures", ICPADS
// 2018).
#pragma once

#include <cstdint>
#include <vector>

#include "base/dated_heap.hpp"
#include "base/types.hpp"
#include "base/waiter.hpp"

namespace pysmpi {

class EnergyMeter;

class Memories {
 public:
  explicit Memories(std::vector<double> bandwidths) : hosts_(bandwidths.size()) {  // by host, bytes/s
    for (std::size_t host = 0; host < hosts_.size(); ++host) hosts_[host].bandwidth = bandwidths[host];
  }

  // The rank moves bytes from now on, which alone it would at `most` bytes/s; the waiter's pending count includes it.
  struct Flow {
    double remaining;  // bytes
    double most;
    RankId rank;
    Waiter* waiter;
    double rate = 0.0;  // since the host's last update, bytes/s
  };
  void move(double now, HostId host, const Flow& flow, EnergyMeter* energy);

  void date(double now);  // the instant ends: where something has changed in it, flows have new rates
  double next() const { return ends_.next_time(); }
  std::size_t under_way() const { return under_way_; }

  // Completes the flows due at `now` (within `precision` seconds), host by host; returns how many.
  std::size_t settle(double now, double precision, EnergyMeter* energy);

  void fail(double now, HostId host, EnergyMeter* energy);  // all its flows are over

 private:
  struct Host {
    double bandwidth = 0.0;
    double last_update = 0.0;
    bool touched = false;
    std::vector<Flow> flows;
  };
  void touch(double now, HostId id);
  static void share(Host& host);

  std::vector<Host> hosts_;
  std::vector<HostId> touched_;
  DatedHeap ends_;  // the next one on each host where something is moved
  std::size_t under_way_ = 0;
};

}  // namespace pysmpi
