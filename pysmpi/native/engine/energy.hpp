// Joules of hosts, by the model of SimGrid's host_energy (3.32; F. C. Heinrich et al., "Predicting the Energy
// Consumption of MPI Applications at Scale Using Only a Single Node", CLUSTER 2017): an idle host takes `idle` watts, a
// busy one `epsilon` and more, in proportion to how much of its cores is used, up to `all_cores`.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace pysmpi {

struct Watts {  // of a host in one of its performance states
  double idle, epsilon, all_cores;
};

// Power changes when a task begins or ends, or the host's speed or state changes; the energy up to then is added up.
// What a host takes while idle, its ranks share evenly; what it takes beyond, the ranks of the tasks that run. Both
// parts go on clocks of the host, which a rank reads when it begins or ceases to have a share.
class EnergyMeter {
 public:
  // A kind of host: its watts by performance state, and while it is off. Returns its number.
  std::uint32_t add_kind(std::span<const Watts> states, double off);
  // A host of this kind is metered from now on, in the state that it begins in.
  void add_host(std::uint32_t kind, std::uint32_t pstate, double cores);
  void add_unknown_host();  // takes no power
  bool is_on() const { return !hosts_.empty(); }

  void add_rank(double now, HostId host);

  // A task of the rank begins or ends, which uses this part of a core when it has one for itself.
  void begin(double now, HostId host, RankId rank, double usage);
  void end(double now, HostId host, RankId rank, double usage);

  void set_pstate(double now, HostId host, std::uint32_t pstate);
  void set_availability(double now, HostId host, double part);
  void set_state(double now, HostId host, bool on);

  double joules_of_host(double now, HostId host) const;
  double joules_of_rank(double now, RankId rank) const;
  bool was_used(HostId host) const { return hosts_[host].was_used; }  // something was computed on it

 private:
  struct Kind {
    std::uint32_t first, states;  // in watts_
    double off;
  };
  struct Host {
    std::uint32_t kind = kNone;
    std::uint32_t pstate = 0;
    double cores = 1.0;
    double availability = 1.0;
    double usage = 0.0;  // cores that its tasks use if each has one for itself
    std::uint32_t tasks = 0, ranks = 0;
    bool on = true;
    bool was_used = false;
    double since = 0.0;      // s, when its power last changed
    double joules = 0.0;     // until then
    double each_rank = 0.0;  // of what it takes while idle
    double each_task = 0.0;  // of what it takes beyond
  };
  struct Rank {
    HostId host = kNone;
    std::uint32_t tasks = 0;
    double joules = 0.0;     // of tasks, until `each_task`
    double each_rank = 0.0;  // of its host, when it began
    double each_task = 0.0;  // of its host, when its number of tasks last changed
  };
  double idle_power(const Host& host) const;
  double power(const Host& host) const;
  Host at(double now, const Host& host) const;  // the host, its clocks brought to `now`
  void bring_to(double now, Host& host) { host = at(now, host); }
  void settle(const Host& host, Rank& rank) const;

  std::vector<Watts> watts_;
  std::vector<Kind> kinds_;
  std::vector<Host> hosts_;
  std::vector<Rank> ranks_;
};

}  // namespace pysmpi
