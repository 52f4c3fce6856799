// Computation on hosts: the tasks on a host share its cores fairly, none faster than one core (SimGrid's Cas01 with
// equal priorities: rate = speed · min(1, cores / tasks)).
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "engine/types.hpp"
#include "engine/waiter.hpp"

namespace pysmpi {

class Platform;

class Processors {
 public:
  void reset(const Platform& platform);

  // Starts `flops` of work on a core of the host at `now`; the waiter's pending count is to include it.
  void execute(double now, HostId host, double flops, Waiter* waiter);

  double next() const;
  std::size_t running() const { return tasks_.size() - free_.size(); }
  std::size_t settle(double now, double precision);

 private:
  struct Task {
    Waiter* waiter;
    double remaining;        // flops
    double last_update;
    double rate;             // flop/s
    std::uint64_t sequence;  // of the heap entry that is current; others are stale
    HostId host;
    std::uint32_t next_on_host;  // chain of the host's tasks, in order of arrival
  };
  struct Entry {
    double time;
    std::uint64_t sequence;
    std::uint32_t task;
    bool operator<(const Entry& other) const {
      return time > other.time || (time == other.time && sequence > other.sequence);
    }
  };
  void reschedule(double now, HostId host);
  void drop_stale() const;

  std::vector<double> speed_;
  std::vector<std::int32_t> cores_;
  std::vector<std::uint32_t> first_task_, task_count_;  // by host
  std::vector<Task> tasks_;
  std::vector<std::uint32_t> free_;
  mutable std::priority_queue<Entry> heap_;
  std::uint64_t next_sequence_ = 0;
};

}  // namespace pysmpi
