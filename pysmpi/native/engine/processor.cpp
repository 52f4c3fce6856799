#include "engine/processor.hpp"

#include <algorithm>

#include "platform/platform.hpp"

namespace pysmpi {

void Processors::reset(const Platform& platform) {
  processors_.assign(platform.host_count(), Processor{});
  for (HostId id = 0; id < platform.host_count(); ++id) {
    processors_[id].speed = platform.host_speed(id);
    processors_[id].cores = platform.host_cores(id);
  }
}

// The host's clock of work is brought to `now`.
void Processors::go_on(Processor& processor, double now) {
  processor.work += processor.rate * (now - processor.last_update);
  processor.last_update = now;
}

// The number of tasks or the speed has changed: their rate, and when the first of them ends.
void Processors::reschedule(Processor& processor, HostId host, double now) {
  if (processor.tasks.empty()) {
    ends_.remove(host);
    processor.rate = 0.0;
    processor.work = 0.0;
    return;
  }
  const double share = std::min(1.0, processor.cores / static_cast<double>(processor.tasks.size()));
  processor.rate = processor.speed * processor.availability * share;
  if (processor.rate == 0.0) return ends_.remove(host);
  const double left = std::max(0.0, processor.tasks.top().ends_at - processor.work);
  ends_.set(host, now + left / processor.rate);
}

void Processors::execute(double now, HostId host, double flops, Waiter* waiter, const bool* vain) {
  Processor& processor = processors_[host];
  go_on(processor, now);
  processor.tasks.push({processor.work + flops, next_sequence_++, waiter, vain});
  ++running_;
  reschedule(processor, host, now);
}

std::uint64_t Processors::poll_on(double& now, double until, double precision, VainPolls polls, std::uint64_t most) {
  std::uint64_t ended = 0;
  for (; ended < most; ++ended) {
    const double next = ends_.next_time();
    if (!(next < until)) break;
    const double then = next > now ? now + (next - now) : now;
    if (until - then < precision || ends_.second_time() - then < precision) break;
    const HostId host = ends_.next_item();
    Processor& processor = processors_[host];
    const Task task = processor.tasks.top();
    if (!task.vain || !*task.vain) break;
    go_on(processor, then);
    processor.tasks.pop();
    if (processor.tasks.empty()) {
      processor.work = 0.0;
    } else if (processor.tasks.top().ends_at <= std::max(processor.work + processor.rate * precision, task.ends_at)) {
      processor.tasks.push(task);  // another one of the host ends with it
      break;
    }
    now = then;
    if (polls.lengthens) ++polls.failed;
    const double seconds = static_cast<double>(polls.failed) * polls.cost;
    processor.tasks.push({processor.work + seconds * processor.speed, next_sequence_++, task.waiter, task.vain});
    reschedule(processor, host, now);
  }
  return ended;
}

bool Processors::set_pstate(double now, HostId host, std::int32_t pstate, double speed) {
  Processor& processor = processors_[host];
  go_on(processor, now);
  processor.pstate = pstate;
  processor.speed = speed;
  reschedule(processor, host, now);
  return is_busy(host);
}

bool Processors::set_availability(double now, HostId host, double availability) {
  Processor& processor = processors_[host];
  go_on(processor, now);
  processor.availability = availability;
  reschedule(processor, host, now);
  return is_busy(host);
}

void Processors::fail(HostId host, double now) {
  Processor& processor = processors_[host];
  while (!processor.tasks.empty()) {
    Waiter* waiter = processor.tasks.top().waiter;
    processor.tasks.pop();
    --running_;
    waiter->completed_one();
  }
  go_on(processor, now);
  reschedule(processor, host, now);
}

std::vector<HostId> Processors::standing() const {
  std::vector<HostId> hosts;
  for (HostId host = 0; host < processors_.size(); ++host) {
    if (is_busy(host) && processors_[host].rate == 0.0) hosts.push_back(host);
  }
  return hosts;
}

std::size_t Processors::settle(double now, double precision) {
  std::size_t settled = 0;
  while (ends_.next_time() - now < precision) {
    const HostId host = ends_.next_item();
    Processor& processor = processors_[host];
    go_on(processor, now);
    // The entry was due for the first task; others end with it if their time is the same within the precision.
    const double due = std::max(processor.work + processor.rate * precision, processor.tasks.top().ends_at);
    while (!processor.tasks.empty() && processor.tasks.top().ends_at <= due) {
      Waiter* waiter = processor.tasks.top().waiter;
      processor.tasks.pop();
      waiter->completed_one();
      ++settled;
    }
    reschedule(processor, host, now);
  }
  running_ -= settled;
  return settled;
}

}  // namespace pysmpi
