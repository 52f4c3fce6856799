// The objects that a schedule may co_await: messages, reductions, polls, sleeps and computations.
#pragma once

#include <coroutine>
#include <cstdint>

#include "base/options.hpp"
#include "datatypes/reduction.hpp"
#include "schedule/driver.hpp"

namespace pysmpi {

struct ScheduleDriver::Awaiting {
  ScheduleDriver& driver;
  Wait wait;
  bool await_ready() { return driver.overheads_ ? driver.has_kept_pace() : driver.is_settled(wait); }
  void await_suspend(std::coroutine_handle<> schedule) { driver.suspended_ = schedule; }
  void await_resume() { driver.settle(wait); }
};

// A reduction in a schedule. A predefined operation combines its operands at once, and then takes the time that the
// core needs (schedule/local_work.hpp). A user-defined operation runs in a greenlet of the rank, because it may be a
// Python function; no time passes meanwhile, and the schedule owes that of a predefined one.
struct ScheduleDriver::Reducing {
  ScheduleDriver& driver;
  Reduction reduction;
  std::int32_t type;
  const void* in;
  void* inout;
  std::int64_t count;
  double seconds = 0.0;
  bool await_ready() {
    if (needs_rank()) return false;
    pysmpi::reduce(reduction, type, in, inout, count);
    seconds = driver.combining_seconds(type, count) + driver.take_debt();
    return seconds <= 0.0;
  }
  void await_suspend(std::coroutine_handle<> schedule) {
    driver.suspended_ = schedule;
    if (!needs_rank()) return driver.sleep_for(seconds, Spent::kWorkingOnData);
    driver.task_ = this;
    driver.owed_ += driver.combining_seconds(type, count);
    run_in_rank(driver.world_rank_, run_task, &driver);
  }
  void await_resume() {}
  bool needs_rank() const { return reduction.kind == ReductionKind::kUser && !driver.in_owner_ && count > 0; }
  static void run_task(void* driver);  // runs in a greenlet of the rank
};

struct ScheduleDriver::Probing {
  ScheduleDriver& driver;
  std::int32_t from;
  bool repeats;
  bool await_ready() const { return options().iprobe_cost <= 0.0; }
  void await_suspend(std::coroutine_handle<> schedule) {
    driver.suspended_ = schedule;
    driver.poll_end_.start(from, repeats);
  }
  bool await_resume() { return driver.poll_end_.found(from); }
};

struct ScheduleDriver::Appearing {
  ScheduleDriver& driver;
  std::int32_t from;
  bool await_ready() const;
  void await_suspend(std::coroutine_handle<> schedule);
  void await_resume() { driver.awaits_appearance_ = false; }
};

struct ScheduleDriver::Sleeping {
  ScheduleDriver& driver;
  double seconds;
  Spent spent = Spent::kAsleep;
  bool await_ready() const { return seconds <= 0.0; }
  void await_suspend(std::coroutine_handle<> schedule) {
    driver.suspended_ = schedule;
    if (spent == Spent::kAsleep) driver.leave_mpi();
    driver.sleep_for(seconds, spent);
  }
  void await_resume() {
    if (spent == Spent::kAsleep && seconds > 0.0) driver.enter_mpi();
  }
};

struct ScheduleDriver::Computing {
  ScheduleDriver& driver;
  double flops;
  double begun = 0.0;
  bool await_ready() const { return flops <= 0.0; }
  void await_suspend(std::coroutine_handle<> schedule);
  void await_resume();
};

struct ScheduleDriver::NextCall {
  ScheduleDriver& driver;
  bool await_ready() const { return !driver.continues_in_calls_; }
  void await_suspend(std::coroutine_handle<> schedule);
  void await_resume() {}
};

struct ScheduleDriver::Woken {
  ScheduleDriver& driver;
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> schedule) { driver.suspended_ = schedule; }
  void await_resume() {}
};

}  // namespace pysmpi
