#include "network/network.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/options.hpp"
#include "network/completion_heap.hpp"
#include "network/sharing.hpp"

namespace pysmpi {

struct Network::Impl {
  struct Transfer {
    double remaining, last_update, last_rate, factor, weight;
    std::uint32_t token;
    bool paying_latency, ended;
  };
  Sharing sharing;
  std::vector<Transfer> transfers;
  CompletionHeap heap;
  std::vector<FlowId> changed, ended;
};

Network::Network() : impl_(std::make_unique<Impl>()) {}
Network::~Network() = default;

LinkId Network::add_link(double bandwidth, SharingPolicy policy) { return impl_->sharing.add_link(bandwidth, policy); }

FlowId Network::start(double now, std::span<const LinkId> route, std::span<const LinkId> back_route, double latency,
                      double size, std::uint32_t token) {
  const Options& o = options();
  Impl& n = *impl_;
  double bound = -1;
  double weight = latency;
  for (LinkId l : route) {
    const double c = n.sharing.incidence().links[l].capacity;
    if (bound < 0 || c < bound) bound = c;
    if (o.weight_s > 0) weight += o.weight_s / c;
  }
  if (latency > 0) {
    const double window = o.tcp_gamma / (2.0 * latency);
    bound = bound < 0 ? window : std::min(bound, window);
  }
  const double paid = latency * step_value(o.latency_factor, size, 1.0);
  if (paid <= 0) weight = 1.0;
  n.sharing.precision = o.precision_work_amount;
  const FlowId f = n.sharing.add_flow(bound, weight, route, o.crosstraffic ? back_route : std::span<const LinkId>());
  if (f >= n.transfers.size()) n.transfers.resize(f + 1);
  n.transfers[f] = {size, now, 0.0, step_value(o.bandwidth_factor, size, 1.0), weight, token, true, false};
  if (route.empty() || paid > 0) {
    n.heap.set(f, now + paid);
    n.transfers[f].ended = route.empty();
  } else {
    n.transfers[f].paying_latency = false;
    n.sharing.enter(f, true);
  }
  return f;
}

void Network::cancel(double, FlowId flow) {
  impl_->heap.remove(flow);
  impl_->sharing.leave(flow);
}

double Network::remaining(double now, FlowId flow) const {
  const auto& t = impl_->transfers[flow];
  if (t.paying_latency) return t.remaining;
  return std::max(0.0, t.remaining - t.last_rate * (now - t.last_update));
}

double Network::next_event(double now) {
  Impl& n = *impl_;
  n.changed.clear();
  n.sharing.solve(n.changed);
  const double cut = options().precision_timing * options().precision_work_amount;
  for (FlowId f : n.changed) {
    auto& t = n.transfers[f];
    if (t.remaining > 0) {
      t.remaining -= t.last_rate * (now - t.last_update);
      if (t.remaining < cut) t.remaining = 0;
    }
    t.last_update = now;
    t.last_rate = n.sharing.rate(f) * t.factor;
    if (t.last_rate > 0) n.heap.set(f, now + (t.remaining > 0 ? t.remaining / t.last_rate : 0.0));
  }
  return n.heap.next_time();
}

void Network::settle(double now, std::vector<std::uint32_t>& finished) {
  Impl& n = *impl_;
  const double precision = options().precision_timing;
  n.ended.clear();
  while (!n.heap.empty() && std::fabs(n.heap.next_time() - now) < precision) {
    const FlowId f = n.heap.next_flow();
    n.heap.remove(f);
    auto& t = n.transfers[f];
    if (t.paying_latency && !t.ended) {
      t.paying_latency = false;
      t.last_update = now;
      n.sharing.enter(f, false);
    } else {
      n.ended.push_back(f);
      finished.push_back(t.token);
    }
  }
  for (FlowId f : n.ended) n.sharing.leave(f);
}

const NetworkCounters& Network::counters() const { return impl_->sharing.counters(); }

}  // namespace pysmpi
