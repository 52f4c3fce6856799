// Starts and ends the flows of computations through memory.
#include "engine/memory_traffic.hpp"

#include <utility>

#include "engine/energy.hpp"
#include "network/carrier.hpp"

namespace pysmpi {

void MemoryTraffic::start(double now, std::uint64_t order, const Computation& computation, Carrier& carrier,
                          EnergyMeter* energy) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(flows_.size()));
    flows_.emplace_back();
  }
  const std::uint32_t place = free_.back();
  free_.pop_back();
  const FlowId number = carrier.start_in_memory(
      now, {computation.host, computation.bytes, computation.bytes / computation.seconds, place | kMark, order});
  flows_[place] = {computation.host, computation.rank, computation.waiter, number};
  if (energy) energy->begin(now, computation.host, computation.rank, 1.0);
}

void MemoryTraffic::finished(double now, std::uint32_t token, EnergyMeter* energy) {
  const std::uint32_t place = token & ~kMark;
  const Flow flow = std::exchange(flows_[place], {});
  free_.push_back(place);
  if (energy) energy->end(now, flow.host, flow.rank, 1.0);
  flow.waiter->completed_one();
}

void MemoryTraffic::fail(double now, HostId host, Carrier& carrier, EnergyMeter* energy) {
  for (std::uint32_t place = 0; place < flows_.size(); ++place) {
    if (flows_[place].waiter == nullptr || flows_[place].host != host) continue;
    carrier.cancel(now, flows_[place].number);
    finished(now, place, energy);
  }
}

}  // namespace pysmpi
