// Computation on hosts. The tasks of a host share its cores fairly, and none is faster than one core (SimGrid's Cas01
// with equal priorities: rate = speed · availability · min(1, cores / tasks)). Example: three tasks on a host with two
// cores of 6 Gf run at 4 Gf each. A task of a rank with four threads counts as four tasks that end together. The
// remaining work of all tasks of a host is updated at the end of each instant in which one of them began or ended, as
// in SMPI's lazy update (SimGrid 3.32, CpuAction::update_remains_lazy). Because of rounding, the times of the updates
// matter: they can decide which of two polls ends first, and with it the duration of all later polls
// (engine/deferred_actions.hpp).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/dated_tree.hpp"
#include "base/types.hpp"
#include "base/waiter.hpp"
#include "engine/timers.hpp"

namespace pysmpi {

class EnergyMeter;
class Platform;

class Processors {
 public:
  void reset(const Platform& platform);

  // Add a rank to the host.
  void add_rank(HostId host) { ++processors_[host].ranks; }

  struct Task {
    double remaining;  // flops left when the task started, or when the host's ends were last computed
    Waiter* waiter;    // notified when the task ends; its pending count includes the task
    RankId rank;
    bool is_poll = false;
    // For a poll: a flag that is true while no message can be found, or null if this is not known. If the flag is true
    // when the poll ends, poll_on may repeat the poll without waking the rank.
    const bool* unsuccessful = nullptr;
    double each = 0.0;        // flops of one repetition of a poll; `remaining` then counts the present repetition only
    bool repeats = false;     // no end is dated, because the poll repeats until its flag becomes false
    std::uint32_t cores = 1;  // cores that it keeps busy: the threads of its rank
  };
  // Start a task on a core of the host now.
  void execute(double now, HostId host, const Task& task);

  EnergyMeter* energy = nullptr;  // notified of tasks; null if energy is not metered

  // Values from which the duration of the next poll is computed: `failed` times `cost` seconds.
  struct UnsuccessfulPolls {
    std::uint64_t& failed;  // factor of `cost` seconds; see Simulation::failed_probes
    double cost;
    bool lengthens;  // each failed poll makes the next ones longer
  };
  // Repeat unsuccessful polls without waking their ranks, as long as the next event is the end of a single poll that
  // cannot find a message, and lies before `until`. Each time, the clock `now` advances to the end of the poll, and the
  // poll begins again. Ends after `most` repetitions; returns their number.
  std::uint64_t poll_on(double& now, double until, double precision, UnsuccessfulPolls polls, std::uint64_t most);

  // Let a poll on the host end that repeats without events (Options::polls_are_independent), because its flag has
  // become false. It ends with the first repetition that ends after the present instant.
  void end_repetition(HostId host) { touch(host); }
  // Return the number of polls that have ended unsuccessfully in this way since the last call.
  std::uint64_t take_repetitions() { return std::exchange(repetitions_, 0); }

  // set_pstate changes the performance state of a host, and with it the speed of a core (flop/s). set_availability
  // changes the available fraction of the speed (speed profiles). Running tasks continue at the new rate; at rate zero
  // they make no progress. Both return whether there are running tasks.
  bool set_pstate(HostId host, std::int32_t pstate, double speed);
  bool set_availability(HostId host, double availability);
  double availability(HostId host) const { return processors_[host].availability; }
  double speed(HostId host) const { return processors_[host].speed; }
  std::int32_t pstate(HostId host) const { return processors_[host].pstate; }  // -1: the initial one

  // End all tasks of a failed host and notify their waiters.
  void fail(double now, HostId host);
  bool is_busy(HostId host) const { return !processors_[host].tasks.empty(); }

  std::vector<HostId> standing() const;  // hosts whose tasks make no progress

  // Return whether several ranks are on the host.
  bool is_shared(HostId host) const { return processors_[host].ranks > 1; }

  // Record that a rank on the host begins (begin_wait) or ends (end_wait) a wait for a single message. SMPI represents
  // this wait by an action that consumes nothing (SimGrid 3.32, ActivityImpl::wait_for). When such an action begins,
  // SMPI computes the ends of all tasks of the host again, which can change them by rounding.
  void begin_wait(HostId host) {
    ++processors_[host].waits;
    touch(host);
  }
  void end_wait(HostId host) {
    --processors_[host].waits;
    leave_idle(host);
  }

  void prefetch(HostId host) const {
    const char* const begin = reinterpret_cast<const char*>(&processors_[host]);
    __builtin_prefetch(begin);
    __builtin_prefetch(begin + 64);
  }

  // Compute the times at which tasks end, on all hosts whose tasks or speed have changed in this instant. The hosts are
  // processed in the order of their first change (SimGrid 3.32, System::update_modified_cnst_set). Tasks that end at
  // the same time complete in this order; among the tasks of one host, the latest completes first.
  void date(double now);

  double next() const { return ends_.next_time(); }
  bool is_worn_out() const { return ends_.is_worn_out(); }
  std::size_t running() const { return running_; }

  // Complete the tasks due at `now` (within `precision` seconds) in the order in which they end. Returns their number.
  std::size_t settle(double now, double precision, Timers& timers);

 private:
  struct Processor {
    double speed = 0.0;         // flop/s of a core
    double factor = 1.0;        // factor on the speed (platform/scaling.hpp)
    double availability = 1.0;  // available fraction of the speed
    double cores = 1.0;
    std::int32_t pstate = -1;
    bool changed_speed = false;  // set_pstate has been called since the ends of the tasks were last computed
    std::uint32_t ranks = 0, waits = 0;
    double last_update = 0.0;   // time at which the ends of the tasks were last computed, in seconds
    double rate = 0.0;          // flop/s of each task since last_update
    std::uint64_t dated = 0;    // sequence number of that update, counted over all hosts
    std::uint32_t known = 0;    // number of tasks at that time; later ones are new
    std::uint32_t touched = 0;  // position + 1 in touched_; 0 if not there
    std::vector<Task> tasks;    // in order of their start
    std::uint32_t busy_cores() const;
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
  // Remove an idle host from the list of hosts whose ends must be computed. If a task begins on the host later in the
  // instant, the host gets a later position (SimGrid 3.32, System::make_constraint_inactive).
  void leave_idle(HostId host) {
    Processor& p = processors_[host];
    if (p.tasks.empty() && p.waits == 0) p.touched = 0;
  }
  void reschedule(HostId host, double now);
  void repeat(Task& task, double negligible);
  void take_due(HostId host, double now, double precision);

  std::vector<Processor> processors_;  // indexed by host
  DatedTree ends_;                     // next end on each host with running tasks
  std::vector<HostId> touched_;  // hosts that changed since their ends were last computed, in order of the first change
  std::vector<Due> due_;         // tasks that end in the present instant
  std::uint64_t datings_ = 0;
  std::size_t running_ = 0;
  std::uint64_t repetitions_ = 0;
};

}  // namespace pysmpi
