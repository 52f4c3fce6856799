// Memory bandwidth of hosts. Ranks of one host that move data at the same time share its bandwidth by max-min fairness:
// each rank gets an even part, and the bandwidth that one rank cannot use goes to the others. One core seldom saturates
// the memory of a large node, but several do (J. D. McCalpin, "Memory bandwidth and machine balance in current high
// performance computers", TCCA Newsletter 1995: STREAM; J. Langguth, X. Cai, M. Sourouri, "Memory bandwidth contention:
// communication vs computation tradeoffs in supercomputers with multicore architectures", ICPADS 2018).
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
  explicit Memories(std::vector<double> bandwidths) : hosts_(bandwidths.size()) {  // bytes/s, indexed by host
    for (std::size_t host = 0; host < hosts_.size(); ++host) hosts_[host].bandwidth = bandwidths[host];
  }

  // A transfer of a rank through memory. Alone, the transfer would move `most` bytes/s. When it ends, one completion of
  // the waiter is counted, so the caller must have included the transfer in Waiter::pending.
  struct Flow {
    double remaining;  // bytes
    double most;
    RankId rank;
    Waiter* waiter;
    double rate = 0.0;  // bytes/s since the host's last update
  };
  void move(double now, HostId host, const Flow& flow, EnergyMeter* energy);

  void date(double now);  // computes the rates on hosts where flows have begun or ended, at the end of an instant
  double next() const { return ends_.next_time(); }
  std::size_t under_way() const { return under_way_; }

  // Complete the transfers due at `now` (within `precision` seconds), host by host. Returns their number.
  std::size_t settle(double now, double precision, EnergyMeter* energy);

  void fail(double now, HostId host, EnergyMeter* energy);  // ends all flows of the host

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
  DatedHeap ends_;  // next end on each host with flows
  std::size_t under_way_ = 0;
};

}  // namespace pysmpi
