// Adds up the energy of hosts and ranks.
#include "engine/energy.hpp"

#include <algorithm>

namespace pysmpi {

std::uint32_t EnergyMeter::add_kind(std::span<const Watts> states, double off) {
  kinds_.push_back({static_cast<std::uint32_t>(watts_.size()), static_cast<std::uint32_t>(states.size()), off});
  watts_.insert(watts_.end(), states.begin(), states.end());
  return static_cast<std::uint32_t>(kinds_.size() - 1);
}

void EnergyMeter::add_host(std::uint32_t kind, std::uint32_t pstate, double cores) {
  hosts_.push_back({.kind = kind, .pstate = pstate, .cores = cores});
}

void EnergyMeter::add_unknown_host() { hosts_.emplace_back(); }

double EnergyMeter::idle_power(const Host& host) const {
  if (host.kind == kNone) return 0.0;
  const Kind& kind = kinds_[host.kind];
  return host.on ? watts_[kind.first + host.pstate].idle : kind.off;
}

double EnergyMeter::power(const Host& host) const {
  if (host.kind == kNone || !host.on || host.tasks == 0) return idle_power(host);
  const Watts& watts = watts_[kinds_[host.kind].first + host.pstate];
  const double load = std::min(1.0, host.usage / host.cores) * host.availability;
  return load > 0.0 ? watts.epsilon + load * (watts.all_cores - watts.epsilon) : watts.idle;
}

EnergyMeter::Host EnergyMeter::at(double now, const Host& host) const {
  Host later = host;
  const double seconds = now - host.since;
  const double idle = idle_power(host), whole = power(host);
  later.since = now;
  later.joules += whole * seconds;
  if (host.ranks > 0) later.each_rank += idle * seconds / host.ranks;
  if (host.tasks > 0) later.each_task += (whole - idle) * seconds / host.tasks;
  return later;
}

void EnergyMeter::add_rank(double now, HostId host) {
  bring_to(now, hosts_[host]);
  ++hosts_[host].ranks;
  ranks_.push_back({.host = host, .each_rank = hosts_[host].each_rank});
}

void EnergyMeter::settle(const Host& host, Rank& rank) const {
  rank.joules += rank.tasks * (host.each_task - rank.each_task);
  rank.each_task = host.each_task;
}

void EnergyMeter::begin(double now, HostId id, RankId rank, double usage) {
  Host& host = hosts_[id];
  bring_to(now, host);
  settle(host, ranks_[rank]);
  ++ranks_[rank].tasks;
  ++host.tasks;
  host.usage += usage;
  host.was_used = true;
}

void EnergyMeter::end(double now, HostId id, RankId rank, double usage) {
  Host& host = hosts_[id];
  bring_to(now, host);
  settle(host, ranks_[rank]);
  --ranks_[rank].tasks;
  --host.tasks;
  host.usage = host.tasks > 0 ? host.usage - usage : 0.0;
}

void EnergyMeter::set_pstate(double now, HostId host, std::uint32_t pstate) {
  bring_to(now, hosts_[host]);
  hosts_[host].pstate = pstate;
}

void EnergyMeter::set_availability(double now, HostId host, double part) {
  bring_to(now, hosts_[host]);
  hosts_[host].availability = part;
}

void EnergyMeter::set_state(double now, HostId host, bool on) {
  bring_to(now, hosts_[host]);
  hosts_[host].on = on;
}

double EnergyMeter::joules_of_host(double now, HostId host) const { return at(now, hosts_[host]).joules; }

double EnergyMeter::joules_of_rank(double now, RankId id) const {
  const Host host = at(now, hosts_[ranks_[id].host]);
  Rank rank = ranks_[id];
  settle(host, rank);
  return rank.joules + host.each_rank - rank.each_rank;
}

}  // namespace pysmpi
