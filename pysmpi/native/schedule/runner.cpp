#include "schedule/runner.hpp"

#include <algorithm>
#include <functional>
#include <span>

#include "base/observation.hpp"
#include "base/options.hpp"
#include "engine/deferred_actions.hpp"
#include "engine/simulation.hpp"
#include "matching/requests.hpp"

namespace pysmpi {

Runner::Part::Part(Runner& runner, std::span<const std::int32_t> ranks)
    : runner_(runner), rank_(runner.rank), size_(runner.size), members_(runner.members_) {
  const auto own = std::find(ranks.begin(), ranks.end(), rank_) - ranks.begin();
  if (members_) {
    for (const std::int32_t rank : ranks) within_.push_back(members_[rank]);
  }
  runner.members_ = members_ ? within_.data() : ranks.data();
  runner.rank = static_cast<std::int32_t>(own);
  runner.size = static_cast<std::int32_t>(ranks.size());
}

Runner::Part::~Part() {
  runner_.members_ = members_;
  runner_.rank = rank_;
  runner_.size = size_;
}

void Runner::hold(std::int32_t type) {
  const Datatype* const held = find_datatype(type);
  if (!held || held->references == 0) return;
  hold_datatype(*held);
  held_.push_back(held);
}

RequestId Runner::post_to(std::int32_t to, const void* buffer, std::int64_t count, std::int32_t type, SendMode mode) {
  return post_send(world_rank_, group_of(to), envelope(to), mode, buffer, count, *find_datatype(type), missing_);
}

RequestId Runner::post_from(std::int32_t from, void* buffer, std::int64_t count, std::int32_t type,
                            const Reduction* combine) {
  return post_receive(world_rank_, group_of(from), envelope(from), buffer, count, *find_datatype(type), combine);
}

void Runner::send(std::int32_t to, const void* buffer, std::int64_t count, std::int32_t type) {
  if (overheads_) {
    to_post_.push_back(
        {true, SendMode::kStandard, in_communicator(to), const_cast<void*>(buffer), count, type, tag_, nullptr});
  } else {
    add_send(post_to(in_communicator(to), buffer, count, type));
  }
}

void Runner::add_send(RequestId posted) {
  if (is_complete(posted)) {
    settle(posted);
  } else {
    round_.push_back(posted);
  }
}

void Runner::receive(std::int32_t from, void* buffer, std::int64_t count, std::int32_t type) {
  if (overheads_ && !to_post_.empty()) {  // after the costs of the sends before it
    to_post_.push_back({false, SendMode::kStandard, in_communicator(from), buffer, count, type, tag_, nullptr});
  } else {
    round_.push_back(post_from(in_communicator(from), buffer, count, type));
  }
}

void Runner::receive_and_reduce(std::int32_t from, const Reduction& reduction, void* buffer, std::int64_t count,
                                std::int32_t type) {
  if (overheads_) {
    to_post_.push_back({false, SendMode::kStandard, in_communicator(from), buffer, count, type, tag_, &reduction});
  } else {
    round_.push_back(post_from(in_communicator(from), buffer, count, type, &reduction));
  }
}

RequestId Runner::start_receive(std::int32_t from, void* buffer, std::int64_t count, std::int32_t type) {
  started_.push_back(post_from(in_communicator(from), buffer, count, type));
  return started_.back();
}

void Runner::show_waiting() {
  if (awaits_appearance_) return;
  RequestId first = single_;
  std::int32_t requests = 1;
  if (single_ == kNone || is_complete(single_)) {
    const auto found = std::find_if_not(round_.begin(), round_.end(), is_complete);
    first = found == round_.end() ? kNone : *found;
    requests = static_cast<std::int32_t>(std::count_if(found, round_.end(), std::not_fn(is_complete)));
  }
  if (request_ != kNone) {
    request(request_).partner = first;
  } else {
    owner_->blocked_on.request = first;
    owner_->blocked_on.requests = requests;
  }
}

bool Runner::is_settled(Wait wait) {
  pending = 0;
  if (wait == Wait::kNone) return true;
  if (wait == Wait::kSingle) {
    if (is_complete(single_)) {
      wait_for_complete(single_);
    } else {
      await_alone(single_, this);
    }
  } else {
    for (const RequestId id : round_) {
      if (is_complete(id)) wait_for_complete(id);
    }
    for (const RequestId id : round_) {
      if (!is_complete(id)) await(id, this);
    }
  }
  return pending == 0;
}

void Runner::settle(Wait wait) {
  if (wait == Wait::kSingle) {
    if (single_ != kNone) settle(std::exchange(single_, kNone));
  } else if (wait == Wait::kRound) {
    for (const RequestId id : round_) settle(id);
    round_.clear();
  }
}

void Runner::settle(RequestId id) {
  const Request& r = request(id);
  if (r.flags & kIsReceive) remove_from_started(id);
  if (fault_.error == 0) fault_ = r.fault;
  const bool brings = r.flags & (kIsReceive | kIsSchedule);  // a schedule beside this one: what it was to bring
  if (brings && r.fault.error != 0 && r.fault.error != kErrTruncate) missing_ = r.fault;
  release(id);
}

void Runner::remove_from_started(RequestId id) {
  const auto first = started_.begin() + static_cast<std::ptrdiff_t>(first_started_);
  const auto found = std::find(first, started_.end(), id);
  if (found == started_.end()) return;
  if (found == first) {
    ++first_started_;
  } else {
    started_.erase(found);
  }
  if (first_started_ < started_.size()) return;
  started_.clear();
  first_started_ = 0;
}

void Runner::Reducing::run_task(void* argument) {
  Runner& runner = *static_cast<Runner*>(argument);
  if (runner.abandoned_) return;
  const Reducing& task = *runner.task_;
  pysmpi::reduce(task.reduction, task.type, task.in, task.inout, task.count);
  simulation().ready.push_back(&runner);
}

void Runner::Computing::await_suspend(std::coroutine_handle<> schedule) {
  runner.suspended_ = schedule;
  runner.alarm_.pending = 1;
  runner.alarm_.spent = Spent::kComputing;
  Simulation& engine = simulation();
  begun = engine.now;
  if (observers) tell(&Observer::computation_begins, begun, *runner.owner_, injected(flops));
  beginnings().compute(engine.call_order(), runner.world_rank_, flops, &runner.alarm_);
}

void Runner::Computing::await_resume() {
  Simulation& engine = simulation();
  if (flops <= 0.0) return;
  engine.time_spent.computed[TimeSource::kInjected] += engine.now - begun;
  if (observers) tell(&Observer::computation_ends, engine.now, *runner.owner_);
}

void Runner::Alarm::wake() {
  if (observers) runner_.tell_spent(spent);
  runner_.resume();
}

void Runner::PollEnd::wake() {
  poll_has_ended();
  if (observers) runner_.tell_spent(Spent::kPolling);
  runner_.resume();
}

void Runner::PollEnd::start(std::int32_t from) {
  const Envelope envelope = runner_.envelope(from);
  if (from != from_ || envelope != envelope_) {
    stop();
    from_ = from;
    envelope_ = envelope;
  } else if (!vain_) {
    watch_for_message(runner_.world_rank_, runner_.group_of(from), envelope, &vain_);
  }
  start_poll(runner_.world_rank_, this, &vain_);
}

bool Runner::PollEnd::found(std::int32_t from) const {
  return look_for_message(runner_.world_rank_, runner_.group_of(from), runner_.envelope(from), vain_) != pysmpi::kNone;
}

bool Runner::Appearing::await_ready() const {
  return find_message(runner.world_rank_, runner.group_of(from), runner.envelope(from)) != pysmpi::kNone;
}

void Runner::Appearing::await_suspend(std::coroutine_handle<> schedule) {
  runner.suspended_ = schedule;
  const Envelope envelope = runner.envelope(from);
  runner.awaits_appearance_ = true;
  BlockedOn& on = runner.owner_->blocked_on;
  on.peer = from;
  on.tag = envelope.tag;
  await_message(runner.world_rank_, runner.group_of(from), envelope, &runner.alarm_);
}

}  // namespace pysmpi
