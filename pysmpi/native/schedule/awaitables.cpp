// The functions of awaitables that call the engine: reductions, computations, and waits for a message.
#include "schedule/awaitables.hpp"

#include "base/observer.hpp"
#include "engine/deferred_actions.hpp"
#include "engine/simulation.hpp"
#include "matching/progress.hpp"

namespace pysmpi {

void ScheduleDriver::Reducing::run_task(void* argument) {
  ScheduleDriver& driver = *static_cast<ScheduleDriver*>(argument);
  if (driver.abandoned_) return;
  const Reducing& task = *driver.task_;
  pysmpi::reduce(task.reduction, task.type, task.in, task.inout, task.count);
  simulation().ready.push_back(&driver);
}

void ScheduleDriver::Computing::await_suspend(std::coroutine_handle<> schedule) {
  driver.suspended_ = schedule;
  driver.alarm_.pending = 1;
  driver.alarm_.spent = Spent::kComputing;
  Simulation& engine = simulation();
  begun = engine.now;
  driver.leave_mpi();
  if (observers) notify(&Observer::computation_begins, begun, *driver.owner_, injected(flops));
  deferred_actions().compute(engine.call_order(), driver.world_rank_, flops, &driver.alarm_);
}

void ScheduleDriver::Computing::await_resume() {
  Simulation& engine = simulation();
  if (flops <= 0.0) return;
  engine.time_spent.computed[TimeSource::kInjected] += engine.now - begun;
  if (observers) notify(&Observer::computation_ends, engine.now, *driver.owner_);
  driver.enter_mpi();
}

void ScheduleDriver::NextCall::await_suspend(std::coroutine_handle<> schedule) {
  driver.suspended_ = schedule;
  Progress::current().delay(driver.world_rank_, driver);
}

bool ScheduleDriver::Appearing::await_ready() const {
  return find_message(driver.world_rank_, driver.group_of(from), driver.envelope(from)) != pysmpi::kNone;
}

void ScheduleDriver::Appearing::await_suspend(std::coroutine_handle<> schedule) {
  driver.suspended_ = schedule;
  const Envelope envelope = driver.envelope(from);
  driver.awaits_appearance_ = true;
  BlockedOn& on = driver.owner_->blocked_on;
  on.peer = from;
  on.tag = envelope.tag;
  await_message(driver.world_rank_, driver.group_of(from), envelope, &driver.alarm_);
}

}  // namespace pysmpi
