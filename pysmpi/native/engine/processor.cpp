// Computes how computations share the cores of a host, and when they end.
#include "engine/processor.hpp"

#include <algorithm>
#include <cmath>

#include "base/options.hpp"
#include "engine/energy.hpp"
#include "platform/platform.hpp"

namespace pysmpi {

void Processors::reset(const Platform& platform) {
  processors_.assign(platform.host_count(), Processor{});
  touched_.clear();
  for (HostId id = 0; id < platform.host_count(); ++id) {
    processors_[id].speed = platform.host_speed(id);
    processors_[id].factor = platform.scaling().speeds.of(id);
    processors_[id].cores = platform.host_cores(id);
  }
}

namespace {
// Return the number of cores that a task uses, for the energy model. A poll may use less than a full core
// (smpi/iprobe-cpu-usage), and its rank's wait may have been metered already (smpi/wait-cpu-usage).
double usage(const Processors::Task& task) {
  const Options& o = options();
  return task.is_poll ? std::max(0.0, o.iprobe_cpu_usage - o.wait_cpu_usage) : task.cores;
}
}  // namespace

void Processors::execute(double now, HostId host, const Task& task) {
  processors_[host].tasks.push_back(task);
  if (energy) energy->begin(now, host, task.rank, usage(task));
  ++running_;
  touch(host);
}

void Processors::date(double now) {
  for (std::uint32_t place = 1; place <= touched_.size(); ++place) {
    const HostId host = touched_[place - 1];
    if (processors_[host].touched != place) continue;
    processors_[host].touched = 0;
    reschedule(host, now);
  }
  touched_.clear();
}

// Compute the remaining work of the host's tasks, their rate, and the time of the next end. To be called after the
// number of tasks or the host's speed has changed.
void Processors::reschedule(HostId host, double now) {
  Processor& p = processors_[host];
  const double cut_off = options().precision_timing * options().precision_work_amount;
  const double done = p.rate * (now - p.last_update);
  const auto tasks = static_cast<std::uint32_t>(p.tasks.size());
  const double core = p.factor * p.availability * p.speed;
  const double rate = std::min(core, p.cores * p.availability * p.factor * p.speed / std::max(p.busy_cores(), 1u));
  double least = kNever;
  for (std::uint32_t i = 0; i < tasks; ++i) {
    Task& task = p.tasks[i];
    if (i < p.known) {
      task.remaining -= done;
      if (task.repeats) {
        repeat(task, rate * options().precision_timing);
      } else if (task.remaining < cut_off) {
        task.remaining = 0.0;
      }
    }
    if (p.changed_speed && i < p.known) task.each = 0.0;  // later polls have another number of flops
    task.repeats = task.each > 0.0 && *task.unsuccessful;
    if (!task.repeats) least = std::min(least, task.remaining);
  }
  p.changed_speed = false;
  p.known = tasks;
  p.last_update = now;
  p.dated = datings_++;
  if (p.known > 0) p.rate = rate;
  if (least == kNever || rate == 0.0) return ends_.remove(host);
  ends_.set(host, p.end_of(least));
}

std::uint32_t Processors::Processor::busy_cores() const {
  std::uint32_t sum = 0;
  for (const Task& task : tasks) sum += task.cores;
  return sum;
}

// Count the repetitions of a poll that have ended. Repetitions that end within this instant, with at most `negligible`
// flops left, have ended too: these polls do not find messages that are sent in this instant.
void Processors::repeat(Task& task, double negligible) {
  if (task.remaining > negligible) return;
  const double ended = std::floor((negligible - task.remaining) / task.each) + 1.0;
  task.remaining += ended * task.each;
  repetitions_ += static_cast<std::uint64_t>(ended);
}

std::uint64_t Processors::poll_on(double& now, double until, double precision, UnsuccessfulPolls polls,
                                  std::uint64_t most) {
  std::uint64_t ended = 0;
  for (; ended < most; ++ended) {
    const double next = ends_.next_time();
    if (!(next < until)) break;
    const double then = next > now ? now + (next - now) : now;
    if (until - then < precision || ends_.second_time() - then < precision) break;
    const HostId host = ends_.next_item();
    Processor& p = processors_[host];
    const std::uint32_t due = p.only_due(then, precision);
    if (due == p.known || !p.tasks[due].unsuccessful || !*p.tasks[due].unsuccessful) break;
    now = then;
    if (polls.lengthens) ++polls.failed;
    const double seconds = static_cast<double>(polls.failed) * polls.cost;
    // The poll that is repeated becomes the task that started last, as if it had been started again.
    std::rotate(p.tasks.begin() + due, p.tasks.begin() + due + 1, p.tasks.end());
    p.tasks.back().remaining = seconds * p.speed;
    --p.known;
    reschedule(host, now);
  }
  return ended;
}

// Return the index of the task that is due, or `known` (the number of tasks whose ends have been computed) if several
// tasks are due. At least one task must be due.
std::uint32_t Processors::Processor::only_due(double now, double precision) const {
  std::uint32_t first = 0;
  double least = tasks.front().remaining;
  double others = kNever;
  for (std::uint32_t i = 1; i < known; ++i) {  // written without branches, which the processor could not predict
    const double one = tasks[i].remaining;
    first = one < least ? i : first;
    others = std::min(others, std::max(least, one));
    least = std::min(least, one);
  }
  return end_of(others) - now < precision ? known : first;
}

bool Processors::set_pstate(HostId host, std::int32_t pstate, double speed) {
  processors_[host].pstate = pstate;
  processors_[host].speed = speed;
  processors_[host].changed_speed = true;
  touch(host);
  return is_busy(host);
}

bool Processors::set_availability(HostId host, double availability) {
  processors_[host].availability = availability;
  touch(host);
  return is_busy(host);
}

void Processors::fail(double now, HostId host) {
  Processor& p = processors_[host];
  for (std::size_t i = p.tasks.size(); i-- > 0;) {
    if (energy) energy->end(now, host, p.tasks[i].rank, usage(p.tasks[i]));
    p.tasks[i].waiter->completed_one();
  }
  running_ -= p.tasks.size();
  p.tasks.clear();
  p.known = 0;
  touch(host);
}

std::vector<HostId> Processors::standing() const {
  std::vector<HostId> hosts;
  for (HostId host = 0; host < processors_.size(); ++host) {
    if (is_busy(host) && processors_[host].rate == 0.0) hosts.push_back(host);
  }
  return hosts;
}

// Move the tasks of the host that end now to due_, beginning with the task that started last.
void Processors::take_due(HostId host, double now, double precision) {
  Processor& p = processors_[host];
  const auto is_due = [&](const Task& task) { return !task.repeats && p.end_of(task.remaining) - now < precision; };
  for (std::size_t i = p.tasks.size(); i-- > 0;) {
    if (is_due(p.tasks[i])) due_.push_back({p.end_of(p.tasks[i].remaining), p.dated, host, p.tasks[i]});
  }
  std::erase_if(p.tasks, is_due);
  p.known = static_cast<std::uint32_t>(p.tasks.size());
}

std::size_t Processors::settle(double now, double precision, Timers& timers) {
  std::size_t settled = 0, fired = 0;
  const auto complete = [&](double date, HostId host, const Task& task) {
    fired += timers.settle_before(date);
    touch(host);
    leave_idle(host);
    if (energy) energy->end(now, host, task.rank, usage(task));
    task.waiter->completed_one();
    ++settled;
  };
  while (ends_.next_time() - now < precision) {
    const double date = ends_.next_time();
    const HostId host = ends_.next_item();
    ends_.remove(host);
    Processor& p = processors_[host];
    if (due_.empty() && p.tasks.size() == 1) {  // hosts come in the order of their earliest ends
      const Task task = p.tasks.front();
      p.tasks.clear();
      p.known = 0;
      complete(date, host, task);
    } else {
      take_due(host, now, precision);
    }
  }
  std::stable_sort(due_.begin(), due_.end());
  for (const Due& due : due_) complete(due.date, due.host, due.task);
  due_.clear();
  running_ -= settled;
  return settled + fired;
}

}  // namespace pysmpi
