// Energy of hosts by the model of SimGrid's host_energy (3.32; F. C. Heinrich et al., "Predicting the Energy
// Consumption of MPI Applications at Scale Using Only a Single Node", CLUSTER 2017). An idle host takes `idle` watts. A
// busy one takes `epsilon` watts plus a part proportional to the use of its cores, up to `all_cores`. Example: with
// idle 90, epsilon 100 and all_cores 180 watts, a host with 2 of 4 cores busy takes 100 + 0.5 * 80 = 140 watts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace pysmpi {

// Power of a host in one performance state.
struct Watts {
  double idle, epsilon, all_cores;
};

// The power of a host changes when a task begins or ends, or when its speed or state changes; the energy since the last
// change is added up at these times. The host's ranks share its idle energy evenly, and the running tasks share the
// rest. The host accumulates two sums: the idle energy for each rank and the remaining energy for each task. The energy
// of a rank is the increase of the first sum since the rank began, plus the increase of the second sum while each of
// its tasks runs.
class EnergyMeter {
 public:
  // Add a kind of host with its power in each performance state and when off. Returns its number.
  std::uint32_t add_kind(std::span<const Watts> states, double off);
  // Meter a host of this kind; `pstate` is its initial performance state.
  void add_host(std::uint32_t kind, std::uint32_t pstate, double cores);
  void add_unknown_host();  // a host whose power is unknown
  bool is_on() const { return !hosts_.empty(); }

  // Add a rank to a host. Ranks are numbered in the order of these calls.
  void add_rank(double now, HostId host);

  // begin() records that the rank starts to compute a task, and end() that this task ends. `usage` is the fraction of a
  // core that the task uses if it has a core for itself.
  void begin(double now, HostId host, RankId rank, double usage);
  void end(double now, HostId host, RankId rank, double usage);

  void set_pstate(double now, HostId host, std::uint32_t pstate);
  void set_availability(double now, HostId host, double part);
  void set_state(double now, HostId host, bool on);

  double joules_of_host(double now, HostId host) const;
  double joules_of_rank(double now, RankId rank) const;
  bool was_used(HostId host) const { return hosts_[host].was_used; }  // true if a task has run on the host

 private:
  struct Kind {
    std::uint32_t first, states;  // position of the first state in watts_, and number of states
    double off;
  };
  struct Host {
    std::uint32_t kind = kNone;
    std::uint32_t pstate = 0;
    double cores = 1.0;
    double availability = 1.0;
    double usage = 0.0;  // number of cores that the host's tasks use if each task has a core for itself
    std::uint32_t tasks = 0, ranks = 0;
    bool on = true;
    bool was_used = false;
    double since = 0.0;      // time of the last change of power, in seconds
    double joules = 0.0;     // energy until `since`, in joules
    double each_rank = 0.0;  // accumulated share of one rank in the idle energy, in joules
    double each_task = 0.0;  // accumulated share of one task in the energy beyond idle, in joules
  };
  struct Rank {
    HostId host = kNone;
    std::uint32_t tasks = 0;
    double joules = 0.0;     // energy of the rank's tasks, up to `each_task`
    double each_rank = 0.0;  // the host's each_rank when the rank began
    double each_task = 0.0;  // the host's each_task when the rank's number of tasks last changed
  };
  double idle_power(const Host& host) const;
  double power(const Host& host) const;
  Host at(double now, const Host& host) const;  // a copy with its sums updated to `now`
  void bring_to(double now, Host& host) { host = at(now, host); }
  void settle(const Host& host, Rank& rank) const;

  std::vector<Watts> watts_;
  std::vector<Kind> kinds_;
  std::vector<Host> hosts_;
  std::vector<Rank> ranks_;
};

}  // namespace pysmpi
