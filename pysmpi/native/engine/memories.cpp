// Computes how ranks share the memory bandwidth of their host.
#include "engine/memories.hpp"

#include <algorithm>

#include "engine/energy.hpp"

namespace pysmpi {

void Memories::move(double now, HostId id, const Flow& flow, EnergyMeter* energy) {
  touch(now, id);
  hosts_[id].flows.push_back(flow);
  ++under_way_;
  if (energy) energy->begin(now, id, flow.rank, 1.0);
}

// Subtract what the host's transfers through memory have moved up to `now` from their remaining bytes, before transfers
// begin or end there.
void Memories::touch(double now, HostId id) {
  Host& host = hosts_[id];
  for (Flow& flow : host.flows) flow.remaining -= flow.rate * (now - host.last_update);
  host.last_update = now;
  if (host.touched) return;
  host.touched = true;
  touched_.push_back(id);
}

// Share the memory bandwidth of a host among transfers, in ascending order of their own limits: each gets an even part
// of the bandwidth that is left, or its limit if the limit is lower. Example: 100 bytes/s for transfers limited to 20,
// 50 and 60 bytes/s give 20, 40 and 40.
void Memories::share(Host& host) {
  std::vector<Flow*> rising;
  rising.reserve(host.flows.size());
  for (Flow& flow : host.flows) rising.push_back(&flow);
  std::ranges::stable_sort(rising, {}, &Flow::most);
  double left = host.bandwidth;
  std::size_t others = rising.size();
  for (Flow* flow : rising) {
    flow->rate = std::min(flow->most, left / static_cast<double>(others--));
    left -= flow->rate;
  }
}

void Memories::date(double now) {
  for (const HostId id : touched_) {
    Host& host = hosts_[id];
    host.touched = false;
    share(host);
    double soonest = kNever;
    for (const Flow& flow : host.flows) soonest = std::min(soonest, std::max(flow.remaining, 0.0) / flow.rate);
    if (soonest == kNever) {
      ends_.remove(id);
    } else {
      ends_.set(id, now + soonest);
    }
  }
  touched_.clear();
}

std::size_t Memories::settle(double now, double precision, EnergyMeter* energy) {
  std::size_t settled = 0;
  while (ends_.next_time() - now < precision) {
    const HostId id = ends_.next_item();
    ends_.remove(id);
    touch(now, id);
    std::vector<Flow>& flows = hosts_[id].flows;
    const auto left = [](const Flow& flow) { return flow.remaining / flow.rate; };
    // Because of rounding, the transfer that is due may still have a few bytes to move. It ends nevertheless.
    const double due = std::max(left(*std::ranges::min_element(flows, {}, left)), precision);
    const auto is_due = [&](const Flow& flow) { return left(flow) <= due; };
    for (const Flow& flow : flows) {
      if (!is_due(flow)) continue;
      if (energy) energy->end(now, id, flow.rank, 1.0);
      flow.waiter->completed_one();
      ++settled;
    }
    std::erase_if(flows, is_due);
  }
  under_way_ -= settled;
  return settled;
}

void Memories::fail(double now, HostId id, EnergyMeter* energy) {
  touch(now, id);
  for (const Flow& flow : hosts_[id].flows) {
    if (energy) energy->end(now, id, flow.rank, 1.0);
    flow.waiter->completed_one();
  }
  under_way_ -= hosts_[id].flows.size();
  hosts_[id].flows.clear();
}

}  // namespace pysmpi
