#include "network/network.hpp"

#include <algorithm>
#include <vector>

#include "engine/options.hpp"
#include "network/completion_heap.hpp"
#include "network/sharing.hpp"
#include "network/transfer_terms.hpp"

namespace pysmpi {

namespace {
// A message on its way, by the number of its flow.
struct Transfer {
  double remaining;    // bytes, at last_update
  double last_update;  // seconds
  double rate;         // bytes/s delivered since then
  double rate_factor;
  std::uint32_t token;
  bool has_links;
};
}  // namespace

struct Network::Impl {
  struct Start {
    std::uint64_t order;
    double due;  // when its latency is paid
    FlowId flow;
    bool at_once;  // it takes part without latency
    bool operator<(const Start& other) const { return order < other.order; }
  };
  Sharing sharing;
  CompletionHeap events;  // of each flow: its latency is paid, or all its bytes are there
  std::vector<Transfer> transfers;
  std::vector<Start> starts;  // since the last next_event()
  std::vector<FlowId> changed, ended;

  void begin_starts() {
    if (!std::is_sorted(starts.begin(), starts.end())) std::stable_sort(starts.begin(), starts.end());
    for (const Start& start : starts) {
      if (start.at_once) {
        sharing.enter(start.flow, true);
      } else {
        events.set(start.flow, start.due);
      }
    }
    starts.clear();
  }

  // SMPI's Lazy update: what remains is reckoned only when the rate changes, and the end is dated anew.
  void update(double now, FlowId flow) {
    const double cut_off = options().precision_timing * options().precision_work_amount;
    Transfer& transfer = transfers[flow];
    transfer.remaining -= transfer.rate * (now - transfer.last_update);
    if (transfer.remaining < cut_off) transfer.remaining = 0.0;
    transfer.last_update = now;
    transfer.rate = sharing.rate(flow) * transfer.rate_factor;
    events.set(flow, now + transfer.remaining / transfer.rate);
  }
};

Network::Network() : impl_(std::make_unique<Impl>()) {}
Network::~Network() = default;

LinkId Network::add_link(double bandwidth, SharingPolicy policy) { return impl_->sharing.add_link(bandwidth, policy); }

FlowId Network::start(double now, std::span<const LinkId> route, std::span<const LinkId> back_route, double latency,
                      double size, std::uint32_t token, std::uint64_t order) {
  Sharing& sharing = impl_->sharing;
  sharing.precision = options().precision_work_amount;
  const TransferTerms terms = transfer_terms(sharing.incidence(), route, latency, size);
  const auto crosstraffic = options().crosstraffic ? back_route : std::span<const LinkId>();
  const FlowId flow = sharing.add_flow(terms.bound, terms.penalty, route, crosstraffic);
  if (flow >= impl_->transfers.size()) impl_->transfers.resize(flow + 1);
  impl_->transfers[flow] = {.remaining = size,
                            .last_update = now,
                            .rate = 0.0,
                            .rate_factor = terms.rate_factor,
                            .token = token,
                            .has_links = !route.empty()};
  impl_->starts.push_back({order, now + terms.delay, flow, terms.delay <= 0 && !route.empty()});
  return flow;
}

void Network::measure_loads() { impl_->sharing.count_crossings(); }

double Network::load_with_one_more(LinkId link) const {
  const Incidence& graph = impl_->sharing.incidence();
  return (graph.crossings(link) + 1) / graph.links[link].capacity;
}

void Network::cancel(double /*now*/, FlowId flow) {
  std::erase_if(impl_->starts, [&](const Impl::Start& start) { return start.flow == flow; });
  impl_->events.remove(flow);
  impl_->sharing.leave(flow);
}

double Network::remaining(double now, FlowId flow) const {
  const Transfer& transfer = impl_->transfers[flow];
  return std::max(0.0, transfer.remaining - transfer.rate * (now - transfer.last_update));
}

double Network::rate(FlowId flow) const { return impl_->transfers[flow].rate; }

double Network::next_event(double now) {
  impl_->begin_starts();
  impl_->changed.clear();
  impl_->sharing.solve(impl_->changed);
  for (const FlowId flow : impl_->changed) impl_->update(now, flow);
  return impl_->events.next_time();
}

void Network::settle(double now, std::vector<std::uint32_t>& finished) {
  const double precision = options().precision_timing;
  impl_->ended.clear();
  while (impl_->events.next_time() - now < precision) {
    const FlowId flow = impl_->events.next_flow();
    impl_->events.remove(flow);
    Transfer& transfer = impl_->transfers[flow];
    if (transfer.has_links && !impl_->sharing.takes_part(flow)) {
      transfer.last_update = now;
      impl_->sharing.enter(flow, false);
    } else {
      impl_->ended.push_back(flow);
      finished.push_back(transfer.token);
    }
  }
  for (const FlowId flow : impl_->ended) impl_->sharing.leave(flow);  // after all latencies, as SimGrid's engine does
}

const NetworkCounters& Network::counters() const { return impl_->sharing.counters(); }

}  // namespace pysmpi
