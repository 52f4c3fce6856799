// Computation of InfiniBand's penalties, and the registration of the model.
#include "network/models/infiniband.hpp"

#include <algorithm>

#include "base/options.hpp"
#include "network/models/flows.hpp"

namespace pysmpi {

namespace {

// If more flows than this enter a host, they slow down all outgoing flows of the hosts from which they come.
constexpr std::size_t kFew = 2;

// Finds the place of a host in a sorted list of senders.
template <typename Senders>
auto sender_at(Senders& senders, HostId host) {
  return std::lower_bound(senders.begin(), senders.end(), host,
                          [](const auto& one, HostId id) { return one.host < id; });
}

const NetworkModelRegistration infiniband_registration(
    {.name = "InfiniBand", .make_carrier = make_flow_carrier, .explain = explain_flow, .infiniband_penalties = true});

}  // namespace

InfinibandPenalties::Host& InfinibandPenalties::host(HostId id) {
  if (id >= hosts_.size()) hosts_.resize(id + 1);
  return hosts_[id];
}

void InfinibandPenalties::start(FlowId flow, HostId source, HostId destination, double bound,
                                std::vector<Change>& bounds) {
  if (flow >= flows_.size()) flows_.resize(flow + 1);
  flows_[flow] = {};
  if (source == destination) return;
  flows_[flow] = {source, destination, bound};
  host(std::max(source, destination));
  Host& receiver = hosts_[destination];
  hosts_[source].out.push_back(flow);
  receiver.in.push_back(flow);
  const auto sender = sender_at(receiver.senders, source);
  if (sender == receiver.senders.end() || sender->host != source) {
    receiver.senders.insert(sender, {source, 1});
  } else {
    ++sender->flows;
  }
  const std::size_t in = receiver.in.size();
  if (in > kFew) ++hosts_[source].to_busy;
  if (in == kFew + 1) {
    for (std::size_t i = 0; i < kFew; ++i) ++hosts_[flows_[receiver.in[i]].source].to_busy;
  }
  update_out(source, bounds);
  update_in(destination, in == kFew + 1, bounds);
  update_stale(source, bounds);
}

void InfinibandPenalties::end(FlowId flow, std::vector<Change>& bounds) {
  const auto [source, destination, bound] = flows_[flow];
  if (source == kNone) return;
  flows_[flow] = {};
  Host& receiver = hosts_[destination];
  std::erase(hosts_[source].out, flow);
  std::erase(receiver.in, flow);
  const auto sender = sender_at(receiver.senders, source);
  if (--sender->flows == 0) receiver.senders.erase(sender);
  const std::size_t in = receiver.in.size();
  if (in >= kFew) --hosts_[source].to_busy;
  if (in == kFew) {
    for (const FlowId other : receiver.in) --hosts_[flows_[other].source].to_busy;
  }
  update_out(source, bounds);
  if (in > 0) {
    if (connected(source, destination)) {
      update_in(destination, in == kFew, bounds);
    } else if (!receiver.stale) {
      receiver.stale = true;
      stale_.push_back(destination);
    }
  }
  update_stale(source, bounds);
}

void InfinibandPenalties::update_flow(FlowId flow, std::vector<Change>& bounds) const {
  const Options& settings = options();
  const Host& sender = hosts_[flows_[flow].source];
  const Host& receiver = hosts_[flows_[flow].destination];
  double penalty = 1.0;
  if (receiver.in.size() != 1) {
    penalty = sender_at(receiver.senders, flows_[flow].source)->flows * settings.ib_penalty_in *
              static_cast<double>(receiver.senders.size());
  }
  double out = 1.0;
  if (sender.out.size() != 1) {
    const double shared = static_cast<double>(sender.out.size()) * settings.ib_penalty_out;
    out = sender.to_busy < sender.out.size() ? shared : 0.0;
    if (sender.to_busy > 0) out = std::max(out, shared * settings.ib_penalty_both);
  }
  bounds.push_back({flow, flows_[flow].bound / std::max(penalty, out)});
}

void InfinibandPenalties::update_out(HostId source, std::vector<Change>& bounds) const {
  for (const FlowId flow : hosts_[source].out) update_flow(flow, bounds);
}

void InfinibandPenalties::update_in(HostId destination, bool senders_too, std::vector<Change>& bounds) const {
  for (const FlowId flow : hosts_[destination].in) update_flow(flow, bounds);
  if (!senders_too) return;
  for (const Sender& sender : hosts_[destination].senders) update_out(sender.host, bounds);
}

template <typename Visit>
void InfinibandPenalties::neighbours(HostId id, Visit visit) const {
  for (const FlowId flow : hosts_[id].out) visit(flows_[flow].destination);
  for (const Sender& sender : hosts_[id].senders) visit(sender.host);
}

// Returns whether flows connect two hosts, in either direction. Searches from both hosts alternate. The cost is
// therefore that of the smaller connected part, or of the way to the meeting point.
bool InfinibandPenalties::connected(HostId one, HostId other) {
  ++search_;
  frontier_.assign(1, one);
  other_frontier_.assign(1, other);
  hosts_[one].seen = search_;
  hosts_[other].seen_from_other = search_;
  while (!frontier_.empty() && !other_frontier_.empty()) {
    bool met = false;
    const HostId from = frontier_.back();
    frontier_.pop_back();
    neighbours(from, [&](HostId next) {
      if (hosts_[next].seen == search_) return;
      hosts_[next].seen = search_;
      met = met || hosts_[next].seen_from_other == search_;
      frontier_.push_back(next);
    });
    const HostId back_from = other_frontier_.back();
    other_frontier_.pop_back();
    neighbours(back_from, [&](HostId next) {
      if (hosts_[next].seen_from_other == search_) return;
      hosts_[next].seen_from_other = search_;
      met = met || hosts_[next].seen == search_;
      other_frontier_.push_back(next);
    });
    if (met) return true;
  }
  return false;
}

// If a flow that ends was the only connection to its destination, the other flows into the destination keep their
// penalties (see infiniband.hpp). Updates such penalties at all destinations that flows connect to `from` now.
void InfinibandPenalties::update_stale(HostId from, std::vector<Change>& bounds) {
  std::erase_if(stale_, [&](HostId destination) {
    Host& receiver = hosts_[destination];
    if (!receiver.in.empty() && destination != from && !connected(from, destination)) return false;
    update_in(destination, true, bounds);
    receiver.stale = false;
    return true;
  });
}

}  // namespace pysmpi
