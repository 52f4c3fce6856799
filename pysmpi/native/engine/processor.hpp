// Computation on hosts: the tasks on a host share its cores fairly, none faster than one core (SimGrid's Cas01 with
// equal priorities: rate = speed · availability · min(1, cores / tasks)). All tasks of a host go at the same rate, so a
// host keeps one clock of the work done for each of them, and a task ends when that clock has gone on by its work: a
// task that comes or goes costs the logarithm of their number.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "base/dated_tree.hpp"
#include "base/types.hpp"
#include "base/waiter.hpp"

namespace pysmpi {

class Platform;

class Processors {
 public:
  void reset(const Platform& platform);

  // Starts `flops` of work on a core of the host at `now`; the waiter's pending count is to include it.
  // `vain`: it is a poll, which finds nothing if this still says so when it ends.
  void execute(double now, HostId host, double flops, Waiter* waiter, const bool* vain = nullptr);

  // What all polls in vain share: how long the next one takes.
  struct VainPolls {
    std::uint64_t& failed;  // times `cost` seconds; see Simulation::failed_probes
    double cost;
    bool lengthens;  // each failed poll the next ones
  };
  // As long as a poll in vain is what ends next, before `until` and alone, it ends and the rank polls anew: the clock
  // goes on, and nobody is told. At most so many; returns how many.
  std::uint64_t poll_on(double& now, double until, double precision, VainPolls polls, std::uint64_t most);

  // A core of the host does so many flop/s from `now` on, in another performance state, or this part of what it does (a
  // speed profile): tasks under way go on at the new rate, and stand still at zero. Each says whether there are any.
  bool set_pstate(double now, HostId host, std::int32_t pstate, double speed);
  bool set_availability(double now, HostId host, double availability);
  double speed(HostId host) const { return processors_[host].speed; }
  std::int32_t pstate(HostId host) const { return processors_[host].pstate; }  // -1: the one that it began in

  // The host has failed: all its tasks are over, and their waiters are told.
  void fail(HostId host, double now);
  bool is_busy(HostId host) const { return !processors_[host].tasks.empty(); }

  std::vector<HostId> standing() const;  // hosts whose tasks stand still

  double next() const { return ends_.next_time(); }
  std::size_t running() const { return running_; }

  // Completes the tasks due at `now` (within `precision` seconds), host by host; returns how many.
  std::size_t settle(double now, double precision);

 private:
  struct Task {  // those that end together do so the latest first, as in SimGrid, which dates all of a host anew then
    double ends_at;  // on the host's clock of work, flops
    std::uint64_t sequence;
    Waiter* waiter;
    const bool* vain;
    bool operator<(const Task& other) const {  // std::priority_queue keeps the greatest on top
      return ends_at > other.ends_at || (ends_at == other.ends_at && sequence < other.sequence);
    }
  };
  struct Processor {
    double speed = 0.0;         // flop/s of a core
    double availability = 1.0;  // the part of that which can be had
    double cores = 1.0;
    std::int32_t pstate = -1;
    double work = 0.0;         // done for each task since the host was last idle, flops
    double last_update = 0.0;  // s
    double rate = 0.0;         // of each task, flop/s
    std::priority_queue<Task> tasks;
  };
  static void go_on(Processor& processor, double now);
  void reschedule(Processor& processor, HostId host, double now);

  std::vector<Processor> processors_;  // by host
  DatedTree ends_;                     // the next one on each host where tasks go on
  std::uint64_t next_sequence_ = 0;
  std::size_t running_ = 0;
};

}  // namespace pysmpi
