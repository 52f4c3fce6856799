// Simulates call overheads (smpi/os, smpi/ois, smpi/or): a schedule sleeps before it sends and after it has received. A
// state machine does this, not coroutines, so that all state of a message stays in the driver.
#include <algorithm>
#include <functional>
#include <utility>

#include "base/options.hpp"
#include "engine/deferred_actions.hpp"
#include "engine/simulation.hpp"
#include "matching/requests.hpp"
#include "schedule/awaitables.hpp"
#include "schedule/local_work.hpp"

namespace pysmpi {

void ScheduleDriver::sleep_for(double seconds, Spent spent) {
  alarm_.pending = 1;
  alarm_.spent = spent;
  Simulation& engine = simulation();
  if (spent == Spent::kWorkingOnData) engine.time_spent.on_data += seconds;
  deferred_actions().sleep(engine.call_order(), world_rank_, engine.now + seconds, &alarm_);
}

bool ScheduleDriver::has_paid_for(const Posting& posting) {
  if (std::exchange(paid_, false)) return true;
  const std::int64_t bytes = posting.count * find_datatype(posting.type)->size;
  const double cost = send_overhead(bytes, pace_ != Pace::kSend, posting.mode);
  if (cost <= 0.0) return true;
  paid_ = true;
  sleep_for(cost, Spent::kSendOverhead);
  return false;
}

bool ScheduleDriver::has_posted_round() {
  const SendMode mode = exchanges_ ? SendMode::kExchange : SendMode::kStandard;
  for (; posted_ < to_post_.size(); ++posted_) {
    const Posting& p = to_post_[posted_];
    if (p.is_send && !has_paid_for(p)) return false;
    tag_ = p.tag;
    round_.push_back(p.is_send ? post_to(p.peer, p.buffer, p.count, p.type, mode)
                               : post_from(p.peer, p.buffer, p.count, p.type, p.combine));
  }
  to_post_.clear();
  exchanges_ = false;
  posted_ = 0;
  for (std::uint32_t place = 0; place < round_.size(); ++place) {
    Request& r = request(round_[place]);
    if (r.flags & kComplete) {
      complete_.push_back(place);
      continue;
    }
    r.flags |= kListed;
    r.place = place;
    await(round_[place], this);
  }
  left_ = static_cast<std::uint32_t>(round_.size());
  pending = -1;  // no completion wakes the driver; has_taken_round looks for completions
  return true;
}

void ScheduleDriver::list(std::uint32_t place) {
  complete_.push_back(place);
  std::push_heap(complete_.begin(), complete_.end(), std::greater());
}

// Complete the messages one after the other, as SMPI's MPI_Waitall does; the rank spends the receive overhead of each
// one. Of those that are complete, the one that was posted first comes next.
bool ScheduleDriver::has_taken_round() {
  for (; left_ > 0; --left_) {
    if (complete_.empty()) {
      pending = 1;
      return false;
    }
    std::pop_heap(complete_.begin(), complete_.end(), std::greater());
    const RequestId taken = std::exchange(round_[complete_.back()], kNone);
    complete_.pop_back();
    const double cost = receive_overhead(taken);
    settle(taken);
    if (cost <= 0.0) continue;
    --left_;
    sleep_for(cost, Spent::kReceiveOverhead);
    return false;
  }
  round_.clear();
  return true;
}

double ScheduleDriver::combining_seconds(std::int32_t type, std::int64_t count) const {
  const LocalWork& work = LocalWork::current();
  if (!work.takes_time()) return 0.0;
  return work.combining(world_rank_, static_cast<double>(count * find_datatype(type)->size), touched_);
}

void ScheduleDriver::note_debt() { owed_ += LocalWork::current().take_seconds(world_rank_, touched_); }

double ScheduleDriver::take_debt() {
  note_debt();
  return std::exchange(owed_, 0.0);
}

bool ScheduleDriver::pays_debt() {
  const double seconds = take_debt();
  if (seconds <= 0.0) return false;
  sleep_for(seconds, Spent::kWorkingOnData);
  return true;
}

bool ScheduleDriver::has_kept_pace() {
  if (pays_debt()) return false;
  switch (pace_) {
    case Pace::kNone:
      return true;
    case Pace::kPostRound:
      if (!has_posted_round()) return false;
      pace_ = Pace::kTakeRound;
      [[fallthrough]];
    case Pace::kTakeRound:
      if (!has_taken_round()) return false;
      break;
    case Pace::kStartSend:
      if (!has_paid_for(posting_)) return false;
      round_.push_back(post_to(posting_.peer, posting_.buffer, posting_.count, posting_.type, posting_.mode));
      break;
    case Pace::kSend:
      if (!has_paid_for(posting_)) return false;
      single_ = post_to(posting_.peer, posting_.buffer, posting_.count, posting_.type, posting_.mode);
      pace_ = Pace::kLast;
      if (!is_settled(Wait::kSingle)) return false;
      break;
    case Pace::kFinish:
      pace_ = Pace::kFinished;
      if (!is_settled(Wait::kSingle)) return false;
      [[fallthrough]];
    case Pace::kFinished: {
      const double cost = receive_overhead(single_);
      settle(Wait::kSingle);
      pace_ = Pace::kLast;
      if (cost <= 0.0) break;
      sleep_for(cost, Spent::kReceiveOverhead);
      return false;
    }
    case Pace::kLast:
      break;
  }
  pace_ = Pace::kNone;
  return true;
}

}  // namespace pysmpi
