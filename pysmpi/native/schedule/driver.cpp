// Posts the messages of schedules, completes them and resumes schedules.
#include "schedule/driver.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/observer.hpp"
#include "engine/busy_waiting.hpp"
#include "engine/simulation.hpp"
#include "matching/progress.hpp"
#include "matching/requests.hpp"
#include "schedule/awaitables.hpp"
#include "schedule/running.hpp"

namespace pysmpi {

void ScheduleDriver::wake() {
  if (continues_in_calls_ && simulation().is_away(world_rank_)) return Progress::current().delay(world_rank_, *this);
  if (observers) notify(&Observer::schedule_goes_on, simulation().now, world_rank_, observed_number(), last);
  resume();
}

void ScheduleDriver::resume() {
  if (abandoned_ || (simulation().failed_ranks > 0 && owner_->state == FiberState::kEnded)) return;
  if (request_ != kNone && !continues_in_calls_ && must_wait_for(world_rank_)) {
    return Progress::current().delay(world_rank_, *this);
  }
  const Attribution attribution(*this);
  if (!has_kept_pace()) return;
  if (suspended_) std::exchange(suspended_, nullptr).resume();
  if (!suspended_) {
    if (!pays_debt()) end();
  } else {
    note_debt();
  }
}

void ScheduleDriver::leave_mpi() {
  if (request_ == kNone) pysmpi::leave_mpi(*owner_);
}

void ScheduleDriver::enter_mpi() {
  if (request_ == kNone) pysmpi::enter_mpi(*owner_);
}

namespace {

void act(std::uint32_t beside) {
  std::uint32_t& attributed = Runners::current().attributed;
  if (beside == attributed) return;
  attributed = beside;
  notify(&Observer::schedule_acts, beside);
}

}  // namespace

ScheduleDriver::Attribution::Attribution(const ScheduleDriver& driver) : before_(Runners::current().attributed) {
  if (observers) act(driver.observed_number());
}

ScheduleDriver::Attribution::~Attribution() {
  if (observers) act(before_);
}

RequestId ScheduleDriver::post_observed(std::int32_t to, const void* buffer, std::int64_t count, std::int32_t type,
                                        SendMode mode) {
  notify(&Observer::schedule_posts, call_);
  const RequestId id =
      post_send(world_rank_, group_of(to), envelope(to), mode, buffer, count, *find_datatype(type), missing_);
  notify(&Observer::schedule_posts, static_cast<const char*>(nullptr));
  return id;
}

void ScheduleDriver::notify_spent(Spent spent) const {
  notify(&Observer::schedule_has_spent, simulation().now, world_rank_, observed_number(), spent);
}

void ScheduleDriver::show_waiting() {
  if (awaits_appearance_ || poll_end_.shows_awaited(owner_)) return;
  RequestId first = single_;
  std::int32_t requests = 1;
  if (single_ == kNone || is_complete(single_)) {
    const auto is_awaited = [](RequestId id) { return id != pysmpi::kNone && !is_complete(id); };
    const auto found = std::find_if(round_.begin(), round_.end(), is_awaited);
    first = found == round_.end() ? kNone : *found;
    requests = static_cast<std::int32_t>(std::count_if(found, round_.end(), is_awaited));
  }
  if (request_ != kNone) {
    request(request_).partner = first;
  } else {
    owner_->blocked_on.request = first;
    owner_->blocked_on.requests = requests;
  }
}

bool ScheduleDriver::is_settled(Wait wait) {
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

void ScheduleDriver::settle(Wait wait) {
  if (wait == Wait::kSingle) {
    if (single_ != kNone) settle(std::exchange(single_, kNone));
  } else if (wait == Wait::kRound) {
    for (const RequestId id : round_) settle(id);
    round_.clear();
  }
}

void ScheduleDriver::settle(RequestId id) {
  const Request& r = request(id);
  if (r.is_receive()) remove_from_started(id);
  if (fault_.error == 0) fault_ = r.fault;
  // A schedule that was started beside this one (Runner::fork) may receive data. So its failure means missing data, as
  // the failure of a receive does.
  const bool brings = r.is_receive() || r.is_schedule();
  if (brings && r.fault.error != 0 && r.fault.error != kErrTruncate) missing_ = r.fault;
  release(id);
}

void ScheduleDriver::remove_from_started(RequestId id) {
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

void ScheduleDriver::Alarm::wake() {
  if (observers) driver_.notify_spent(spent);
  driver_.resume();
}

void ScheduleDriver::PollEnd::wake() {
  poll_has_ended();
  ended_at_ = simulation().now;
  if (std::exchange(is_lengthened_, false)) Polls::current().end_lengthened(polls_before_);
  if (observers) driver_.notify_spent(Spent::kPolling);
  driver_.resume();
}

void ScheduleDriver::PollEnd::start(std::int32_t from, bool repeats) {
  if (!repeats) {
    if (from_ != kNobody) stop();
    const double factor = lengthening(from);
    is_lengthened_ = factor > 1.0;
    if (is_lengthened_) polls_before_ = Polls::current().begin_lengthened();
    return start_poll(driver_.world_rank_, this, factor);
  }
  const Envelope envelope = driver_.envelope(from);
  if (from != from_ || envelope != envelope_) {
    stop();
    from_ = from;
    envelope_ = envelope;
  } else if (!unsuccessful_) {
    watch_for_message(driver_.world_rank_, driver_.group_of(from), envelope, &unsuccessful_);
  }
  start_poll(driver_.world_rank_, this, 1.0, &unsuccessful_);
}

// Return the factor of the next poll of a loop over several peers. It grows with the rounds over all peers, as it grows
// with the calls of a loop over one peer.
double ScheduleDriver::PollEnd::lengthening(std::int32_t from) {
  if (first_ == kNobody || simulation().now > ended_at_) {
    first_ = from;
    rounds_ = 0;
  } else if (from == first_) {
    ++rounds_;
  }
  return lengthening_after(rounds_);
}

bool ScheduleDriver::PollEnd::shows_awaited(Fiber* thread) const {
  if (!unsuccessful_) return false;
  thread->blocked_on.peer = from_;
  thread->blocked_on.tag = envelope_.tag;
  return true;
}

bool ScheduleDriver::PollEnd::found(std::int32_t from) {
  const RequestId message = look_for_message(driver_.world_rank_, driver_.group_of(from), driver_.envelope(from),
                                             order_of_look(), unsuccessful_);
  if (message == pysmpi::kNone) return false;
  first_ = kNobody;
  return true;
}

}  // namespace pysmpi
