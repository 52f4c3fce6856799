#include "engine/processor.hpp"

#include <algorithm>

#include "platform/platform.hpp"

namespace pysmpi {

void Processors::reset(const Platform& platform) {
  const HostId hosts = platform.host_count();
  speed_.resize(hosts);
  cores_.resize(hosts);
  for (HostId id = 0; id < hosts; ++id) {
    speed_[id] = platform.host_speed(id);
    cores_[id] = platform.host_cores(id);
  }
  first_task_.assign(hosts, kNone);
  task_count_.assign(hosts, 0);
}

void Processors::execute(double now, HostId host, double flops, Waiter* waiter) {
  std::uint32_t id;
  if (free_.empty()) {
    id = static_cast<std::uint32_t>(tasks_.size());
    tasks_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  tasks_[id] = {waiter, flops, now, 0.0, 0, host, kNone};
  std::uint32_t* link = &first_task_[host];
  while (*link != kNone) link = &tasks_[*link].next_on_host;
  *link = id;
  ++task_count_[host];
  reschedule(now, host);
}

// The tasks on the host get the rate that their number now gives; those whose rate is unchanged keep their end.
void Processors::reschedule(double now, HostId host) {
  const double share = std::min(1.0, static_cast<double>(cores_[host]) / task_count_[host]);
  const double rate = speed_[host] * share;
  for (std::uint32_t id = first_task_[host]; id != kNone; id = tasks_[id].next_on_host) {
    Task& task = tasks_[id];
    if (task.rate == rate) continue;
    task.remaining = std::max(0.0, task.remaining - task.rate * (now - task.last_update));
    task.last_update = now;
    task.rate = rate;
    task.sequence = next_sequence_++;
    heap_.push({now + task.remaining / rate, task.sequence, id});
  }
}

void Processors::drop_stale() const {
  while (!heap_.empty() && tasks_[heap_.top().task].sequence != heap_.top().sequence) heap_.pop();
}

double Processors::next() const {
  drop_stale();
  return heap_.empty() ? kNever : heap_.top().time;
}

std::size_t Processors::settle(double now, double precision) {
  std::size_t settled = 0;
  for (drop_stale(); !heap_.empty() && heap_.top().time - now < precision; drop_stale()) {
    const std::uint32_t id = heap_.top().task;
    heap_.pop();
    Task& task = tasks_[id];
    const HostId host = task.host;
    std::uint32_t* link = &first_task_[host];
    while (*link != id) link = &tasks_[*link].next_on_host;
    *link = task.next_on_host;
    --task_count_[host];
    task.sequence = ~0ULL;
    Waiter* waiter = task.waiter;
    free_.push_back(id);
    if (task_count_[host] > 0) reschedule(now, host);
    waiter->completed_one();
    ++settled;
  }
  return settled;
}

}  // namespace pysmpi
