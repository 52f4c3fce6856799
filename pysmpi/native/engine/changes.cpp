// Changes of hosts and links during a simulation, from the platform's profiles.
#include <algorithm>

#include "engine/listener.hpp"
#include "engine/simulation.hpp"

namespace pysmpi {

// Apply the profiles' events at time zero before anything runs (SimGrid 3.32, EngineImpl::presolve).
void Simulation::begin_profiles() {
  network.expect_changes();
  while (profile_events_.next() <= 0.0) apply(profile_events_.take(), 0.0);
  failing_.clear();
}

// Apply the events of profiles up to `next`, the time at which the engine has its next event of another kind. Return
// the time to which the clock must advance, as EngineImpl::solve does: the date of the first profile event that affects
// a running activity, otherwise `next`. A profile event that affects only later activities does not stop the clock. If
// `next` is kNever, profile events wake no rank and are not applied, unless one raises the speed of a busy host from
// zero, so that its tasks continue.
double Simulation::follow_profiles(double next) {
  if (next == kNever && !anything_resumes()) return kNever;
  while (profile_events_.next() <= next) {
    const double date = profile_events_.next();
    while (profile_events_.next() <= date) {
      ++counters.events;
      if (apply(profile_events_.take(), date)) next = date;
    }
  }
  return next;
}

bool Simulation::anything_resumes() const {
  const std::vector<HostId> standing = processors.standing();
  return std::any_of(standing.begin(), standing.end(),
                     [this](HostId host) { return profile_events_.will_speed_up(host); });
}

// Apply one event. Returns true if it affects a running activity.
bool Simulation::apply(const ProfileEvent& event, double date) {
  const Scaling& scaling = current_platform()->scaling();
  const bool of_link = event.kind != ProfileKind::kSpeed && event.kind != ProfileKind::kHostState;
  if (of_link && !carrier->uses_links()) return false;
  switch (event.kind) {
    case ProfileKind::kBandwidth:
      return network.set_bandwidth(event.target, event.value * scaling.bandwidths.of(event.target), date);
    case ProfileKind::kLatency: {
      const double before = current_platform()->link_latency(event.target) + network.latency_change(event.target);
      return network.change_latency(event.target, event.value * scaling.latencies - before);
    }
    case ProfileKind::kLinkState:
      return network.set_state(event.target, event.value > 0.0, date);
    case ProfileKind::kSpeed:
      if (energy.is_on()) energy.set_availability(date, event.target, event.value);
      return processors.set_availability(event.target, event.value);
    case ProfileKind::kHostState:
      break;
  }
  if (hosts_off_.empty()) hosts_off_.resize(current_platform()->host_count());
  const bool off = !(event.value > 0.0);
  if (static_cast<bool>(hosts_off_[event.target]) == off) return false;
  hosts_off_[event.target] = off;
  if (energy.is_on()) energy.set_state(date, event.target, !off);
  if (!off) return false;
  failing_.push_back(event.target);
  return true;
}

// End everything that runs on failing hosts, as if the processes were killed. A host that is switched on again has no
// ranks.
void Simulation::fail_hosts() {
  for (const HostId host : failing_) {
    for (RankId rank = 0; rank < static_cast<RankId>(rank_host.size()); ++rank) {
      if (rank_host[rank] == host) fail_rank(rank);
    }
    processors.fail(now, host);
    if (memories) memories->fail(now, host, processors.energy);
    memory_traffic.fail(now, host, *carrier, processors.energy);
  }
  failing_.clear();
}

// Fail the messages on links that went off; both sides get an error.
void Simulation::fail_transfers() {
  failed_flows_.clear();
  network.take_failed(failed_flows_);
  counters.events += failed_flows_.size();
  for (const FailedFlow& flow : failed_flows_) fail_transfer(flow.token, flow.link);
}

}  // namespace pysmpi
