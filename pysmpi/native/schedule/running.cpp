// Takes runners from the pool, and starts, ends and stops their schedules.
#include "schedule/running.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <span>
#include <utility>

#include "base/observer.hpp"
#include "base/options.hpp"
#include "engine/simulation.hpp"
#include "matching/requests.hpp"
#include "objects/errors.hpp"
#include "schedule/local_work.hpp"
#include "schedule/wide_collectives.hpp"

namespace pysmpi {

namespace {

Runners& runners() { return Runners::current(); }

bool costs_anything(const SizeTable& table) {
  return std::any_of(table.begin(), table.end(),
                     [](const SizeStep& step) { return step.value != 0.0 || step.per_byte != 0.0; });
}

}  // namespace

Runner& take_runner(Communicator& communicator, std::uint32_t sequence) {
  Runners& pool = runners();
  if (pool.unused.empty()) {
    const auto number = static_cast<std::uint32_t>(pool.all.size());
    pool.all.push_back(std::make_unique<Runner>(number, pool.unsuccessful.emplace_back(false)));
    pool.unused.push_back(pool.all.back().get());
  }
  Runner& runner = *pool.unused.back();
  pool.unused.pop_back();
  runner.communicator_ = &communicator;
  runner.rank = communicator.my_rank();
  runner.size = communicator.size();
  runner.remote_size = communicator.inter() ? communicator.remote->size() : 0;
  runner.world_rank_ = inside_rank() ? simulation().running : 0;
  runner.owner_ = inside_rank() ? &running_fiber() : nullptr;
  runner.tag_ = static_cast<std::int32_t>(sequence * 4 & 0x7fffffff);
  runner.stream = 0;
  runner.members_ = nullptr;
  runner.main_ = nullptr;
  runner.context_ = communicator.context + 1;
  runner.sent_ = 0;
  runner.continues_in_calls_ = false;
  runner.found_at = -1;
  runner.looked_in_vain = false;
  runner.fault_ = runner.missing_ = {};
  runner.touched_ = runner.owed_ = 0.0;
  const Options& o = options();
  runner.overheads_ = costs_anything(o.send_overhead) || costs_anything(o.isend_overhead) ||
                      costs_anything(o.receive_overhead) || LocalWork::current().takes_time();
  return runner;
}

void ScheduleDriver::end() {
  if (request_ == kNone) {
    simulation().go_on_in_turn(*owner_);
    return;
  }
  const RequestId ended = request_;
  std::erase(runners().under_way[world_rank_], this);
  request(ended).fault = fault_;
  recycle();
  complete(ended);
  release_hold(ended);
}

// Return the runner to the pool after its schedule has ended.
void ScheduleDriver::recycle() {
  if (const std::int32_t size = communicator_->size(); size > kFewRanks) {
    WideCollectives::current().count(call_, size, sent_);
  }
  schedule_.clear();
  poll_end_.stop();
  kept_.clear();
  for (const Datatype* type : held_) release_datatype(*type);
  held_.clear();
  if (request_ != kNone) release_communicator(*communicator_);
  request_ = kNone;
  runners().unused.push_back(static_cast<Runner*>(this));
}

// Stop the schedule because its rank is being stopped. The rank's buffers must not be touched any more. Bytes move when
// messages are matched, so unmatched messages must leave the queues. The runner does not return to the pool: a timer or
// the engine's queue may still refer to it.
void ScheduleDriver::abandon() {
  abandoned_ = true;
  // Also stop the schedules that were started beside this one (Runner::fork), because they refer to the coroutine
  // frames that are freed now.
  for (ScheduleDriver* side : runners().all_of(world_rank_)) {
    if (side->main_ == this && !side->abandoned_) side->abandon();
  }
  schedule_.clear();
  poll_end_.stop();
  if (single_ != kNone) {
    remove_from_started(single_);
    pysmpi::abandon(single_);
  }
  for (std::size_t i = first_started_; i < started_.size(); ++i) pysmpi::abandon(started_[i]);
  for (const RequestId id : round_) {
    if (id != kNone) pysmpi::abandon(id);
  }
  complete_.clear();
  kept_.clear();
}

void give_runner(Runner& runner) { runner.recycle(); }

Fault run_blocking(Runner& runner, Schedule schedule, const char* call) {
  runner.call_ = call;
  runner.schedule_ = std::move(schedule);
  runner.in_owner_ = true;
  runner.schedule_.start();
  runner.in_owner_ = false;
  runner.note_debt();
  if (!runner.schedule_.done() || runner.pays_debt()) {
    Fiber& fiber = running_fiber();
    fiber.pending = 1;
    BlockedOn on = fiber.blocked_on;
    on.call = call;
    on.kind = WaitKind::kCollective;
    on.communicator = runner.communicator_->handle;
    if (!block(on)) {
      runner.abandon();
      return {.error = kErrorStopped};
    }
  }
  return runner.fault_;
}

bool run_as_rank(Runner& runner, Schedule schedule) {
  runner.schedule_ = std::move(schedule);
  runner.owner_->pending = 1;
  runner.schedule_.start();
  return runner.schedule_.done();
}

RequestId run_nonblocking(Runner& runner, Schedule schedule, const char* call) {
  runner.owner_ = inside_rank() ? &simulation().fibers[runner.world_rank_] : nullptr;
  return runner.begin(std::move(schedule), call, true);
}

Runner& Runner::beside(std::int32_t in_stream) {
  Runner& side = take_runner(*communicator_, 0);
  side.rank = rank;
  side.size = size;
  side.members_ = members_;
  side.main_ = this;
  side.world_rank_ = world_rank_;
  side.owner_ = owner_ ? &simulation().fibers[world_rank_] : nullptr;
  side.tag_ = tag_;
  side.stream = in_stream;
  side.missing_ = missing_;
  side.knows_nodes = knows_nodes;
  side.touched_ = touched_;
  return side;
}

RequestId ScheduleDriver::begin(Schedule schedule, const char* call, bool in_owner) {
  call_ = call;
  const RequestId id = allocate_request();
  Request& r = request(id);
  // With these fields, the request is in no matching queue, and it is released after the schedule has ended.
  r.kind = RequestKind::kSchedule;
  r.flags = kNonblocking | kMatched | kHeld;
  r.owner = world_rank_;
  r.communicator = communicator_->handle;
  r.call = call;
  hold_communicator(*communicator_);
  request_ = id;
  auto& under_way = runners().under_way;
  if (under_way.size() <= static_cast<std::size_t>(world_rank_)) {
    under_way.resize(owner_ ? simulation().fibers.size() : 1);
  }
  under_way[world_rank_].push_back(this);
  schedule_ = std::move(schedule);
  in_owner_ = in_owner;
  if (observers) notify(&Observer::schedule_begins, simulation().now, world_rank_, observed_number());
  const Attribution attribution(*this);
  schedule_.start();
  in_owner_ = false;
  note_debt();
  if (schedule_.done() && !pays_debt()) end();
  return id;
}

RequestId schedule_under_way(RankId rank) {
  for (const ScheduleDriver* runner : runners().all_of(rank)) {
    if (!runner->abandoned_) return runner->request_;
  }
  return kNone;
}

void show_waiting_schedules() {
  for (const auto& runner : runners().all) {
    if (!runner->schedule_.done() && !runner->abandoned_) runner->show_waiting();
  }
}

void forget_schedules(RankId rank) {
  auto& under_way = runners().under_way;
  if (static_cast<std::size_t>(rank) >= under_way.size()) return;
  for (ScheduleDriver* runner : std::exchange(under_way[rank], {})) {
    if (!runner->abandoned_) runner->abandon();
    release_hold(runner->request_);
  }
}

Runners::~Runners() {
  under_way.clear();
  unused.clear();
  all.clear();
}

}  // namespace pysmpi
