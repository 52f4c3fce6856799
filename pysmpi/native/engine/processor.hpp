// Computation on hosts: the tasks on a host share its cores fairly, none faster than one core (SimGrid's Cas01 with
// equal priorities: rate = speed · availability · min(1, cores / tasks)). What remains of tasks is reckoned as SMPI's
// Lazy update does (SimGrid 3.32, CpuAction::update_remains_lazy): at the end of each instant in which a task of the
// host has begun or ended, for all of its tasks. Ends so far apart as rounding tell which of two polls comes first, and
// that decides how long all later ones take (engine/deferred_actions.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "base/dated_tree.hpp"
#include "base/types.hpp"
#include "base/waiter.hpp"

namespace pysmpi {

class EnergyMeter;
class Platform;

class Processors {
 public:
  void reset(const Platform& platform);

  // One more rank lives on the host.
  void add_rank(HostId host) { ++processors_[host].ranks; }

  struct Task {
    double remaining;  // flops, as it begins, or at the host's last dating
    Waiter* waiter;    // whose pending count includes it
    RankId rank;
    bool is_poll = false;
    const bool* vain = nullptr;  // of a poll: it finds nothing if this still says so when it ends
  };
  // Starts it on a core of the host, now.
  void execute(double now, HostId host, const Task& task);

  EnergyMeter* energy = nullptr;  // is told which tasks run, once there is one

  // What all polls in vain share: how long the next one takes.
  struct VainPolls {
    std::uint64_t& failed;  // times `cost` seconds; see Simulation::failed_probes
    double cost;
    bool lengthens;  // each failed poll the next ones
  };
  // As long as a poll in vain is what ends next, before `until` and alone, it ends and the rank polls anew, as an
  // instant of nothing else would have it: the clock goes on, and nobody is told. At most so many; returns how many.
  std::uint64_t poll_on(double& now, double until, double precision, VainPolls polls, std::uint64_t most);

  // A core of the host does so many flop/s from now on, in another performance state, or this part of what it does (a
  // speed profile): tasks under way go on at the new rate, and stand still at zero. Each says whether there are any.
  bool set_pstate(HostId host, std::int32_t pstate, double speed);
  bool set_availability(HostId host, double availability);
  double availability(HostId host) const { return processors_[host].availability; }
  double speed(HostId host) const { return processors_[host].speed; }
  std::int32_t pstate(HostId host) const { return processors_[host].pstate; }  // -1: the one that it began in

  // The host has failed: all its tasks are over, and their waiters are told.
  void fail(double now, HostId host);
  bool is_busy(HostId host) const { return !processors_[host].tasks.empty(); }

  std::vector<HostId> standing() const;  // hosts whose tasks stand still

  // Whether several ranks live on the host.
  bool is_shared(HostId host) const { return processors_[host].ranks > 1; }

  // A rank on the host begins, or ends, to wait for a message alone: SMPI has an action there meanwhile that takes
  // nothing (SimGrid 3.32, ActivityImpl::wait_for), for which all that is under way there is dated anew as it begins.
  void begin_wait(HostId host) {
    ++processors_[host].waits;
    touch(host);
  }
  void end_wait(HostId host) {
    --processors_[host].waits;
    leave_idle(host);
  }

  // The instant ends: says when the tasks end on hosts where something has changed in it, in the order in which that
  // happened first (SimGrid 3.32, System::update_modified_cnst_set). Those that end at the same time do so in this
  // order, those of a host the latest first.
  void date(double now);

  double next() const { return ends_.next_time(); }
  bool is_worn_out() const { return ends_.is_worn_out(); }
  std::size_t running() const { return running_; }

  // Completes the tasks due at `now` (within `precision` seconds) in the order of their dates; returns how many.
  std::size_t settle(double now, double precision);

 private:
  struct Processor {
    double speed = 0.0;         // flop/s of a core
    double factor = 1.0;        // on what it computes in a second (platform/scaling.hpp)
    double availability = 1.0;  // the part of that which can be had
    double cores = 1.0;
    std::int32_t pstate = -1;
    std::uint32_t ranks = 0, waits = 0;
    double last_update = 0.0;   // when its tasks were dated, s
    double rate = 0.0;          // of each of them since then, flop/s
    std::uint64_t dated = 0;    // the dating's number
    std::uint32_t known = 0;    // how many of the tasks it was for; the others are new
    std::uint32_t touched = 0;  // its place among those that are to be dated, from 1 on
    std::vector<Task> tasks;    // the latest last
    double end_of(double flops) const { return flops > 0.0 ? last_update + flops / rate : last_update; }
    std::uint32_t only_due(double now, double precision) const;
  };
  struct Due {
    double date;
    std::uint64_t dated;
    HostId host;
    Task task;
    bool operator<(const Due& other) const { return date < other.date || (date == other.date && dated < other.dated); }
  };
  void touch(HostId host) {
    if (processors_[host].touched != 0) return;
    touched_.push_back(host);
    processors_[host].touched = static_cast<std::uint32_t>(touched_.size());
  }
  // Where nothing is left there is nothing to date, and what begins later in the instant takes a later place (SimGrid
  // 3.32, System::make_constraint_inactive).
  void leave_idle(HostId host) {
    Processor& p = processors_[host];
    if (p.tasks.empty() && p.waits == 0) p.touched = 0;
  }
  void reschedule(HostId host, double now);
  void take_due(HostId host, double now, double precision);

  std::vector<Processor> processors_;  // by host
  DatedTree ends_;                     // the next one on each host where tasks go on
  std::vector<HostId> touched_;        // in the order in which something has changed since they were dated
  std::vector<Due> due_;               // in the instant that begins
  std::uint64_t datings_ = 0;
  std::size_t running_ = 0;
};

}  // namespace pysmpi
