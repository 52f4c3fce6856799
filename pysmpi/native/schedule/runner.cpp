#include "schedule/runner.hpp"

#include <algorithm>
#include <memory>
#include <span>

#include "base/options.hpp"
#include "engine/beginnings.hpp"
#include "engine/simulation.hpp"
#include "matching/requests.hpp"
#include "objects/errors.hpp"

namespace pysmpi {

namespace {

struct Runners {
  std::vector<std::unique_ptr<Runner>> all;
  std::vector<Runner*> unused;
  std::vector<std::vector<Runner*>> under_way;  // nonblocking, by rank, in the order in which they began

  std::span<Runner* const> all_of(RankId rank) const {
    return static_cast<std::size_t>(rank) < under_way.size() ? under_way[rank] : std::span<Runner* const>();
  }
};

Runners& runners() {
  static Runners instance;
  return instance;
}

bool costs_anything(const SizeTable& table) {
  return std::any_of(table.begin(), table.end(),
                     [](const SizeStep& step) { return step.value != 0.0 || step.per_byte != 0.0; });
}

}  // namespace

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

void Runner::show_waiting(RequestId first, std::int32_t requests) {
  if (request_ != kNone) {
    request(request_).partner = first;
  } else {
    owner_->blocked_on.request = first;
    owner_->blocked_on.requests = requests;
  }
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
    to_post_.push_back({true, in_communicator(to), const_cast<void*>(buffer), count, type, nullptr, tag_});
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
    to_post_.push_back({false, in_communicator(from), buffer, count, type, nullptr, tag_});
  } else {
    round_.push_back(post_from(in_communicator(from), buffer, count, type));
  }
}

void Runner::receive_and_reduce(std::int32_t from, const Reduction& reduction, void* buffer, std::int64_t count,
                                std::int32_t type) {
  if (overheads_) {
    to_post_.push_back({false, in_communicator(from), buffer, count, type, &reduction, tag_});
  } else {
    round_.push_back(post_from(in_communicator(from), buffer, count, type, &reduction));
  }
}

RequestId Runner::start_receive(std::int32_t from, void* buffer, std::int64_t count, std::int32_t type) {
  started_.push_back(post_from(in_communicator(from), buffer, count, type));
  return started_.back();
}

void Runner::show_waiting() {
  if (single_ != kNone && !is_complete(single_)) {
    show_waiting(single_, 1);
    return;
  }
  const auto complete = static_cast<std::int32_t>(std::count_if(round_.begin(), round_.end(), is_complete));
  const auto first = std::find_if_not(round_.begin(), round_.end(), is_complete);
  show_waiting(first == round_.end() ? kNone : *first, static_cast<std::int32_t>(round_.size()) - complete);
}

bool Runner::is_settled(Wait wait) {
  pending = 0;
  RequestId first = kNone;
  if (wait == Wait::kNone) return true;
  if (wait == Wait::kSingle) {
    if (is_complete(single_)) {
      wait_for_complete(single_);
    } else {
      await(first = single_, this);
    }
  } else {
    for (const RequestId id : round_) {
      if (is_complete(id)) wait_for_complete(id);
    }
    for (const RequestId id : round_) {
      if (is_complete(id)) continue;
      await(id, this);
      if (first == kNone) first = id;
    }
  }
  if (pending == 0) return true;
  show_waiting(first, pending);
  return false;
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

void Runner::wake() { resume(); }

void Runner::resume() {
  if (abandoned_ || owner_->state == FiberState::kEnded) return;
  show_waiting(kNone, 0);
  suspended_.resume();
  if (schedule_.done()) end();
}

void Runner::end() {
  if (request_ == kNone) {
    simulation().go_on_in_turn(*owner_);
    return;
  }
  const RequestId ended = request_;
  std::erase(runners().under_way[world_rank_], this);
  request(ended).fault = fault_;
  let_go();
  complete(ended);
  pysmpi::let_go(ended);
}

// The schedule has ended: the runner is free for another one.
void Runner::let_go() {
  schedule_.clear();
  poll_end_.stop();
  kept_.clear();
  for (const Datatype* type : held_) release_datatype(*type);
  held_.clear();
  if (request_ != kNone) release_communicator(*communicator_);
  request_ = kNone;
  runners().unused.push_back(this);
}

void Runner::Reducing::run_task(void* argument) {
  Runner& runner = *static_cast<Runner*>(argument);
  if (runner.abandoned_) return;
  const Reducing& task = *runner.task_;
  pysmpi::reduce(task.reduction, task.type, task.in, task.inout, task.count);
  simulation().ready.push_back(&runner);
}

void Runner::Sleeping::await_suspend(std::coroutine_handle<> schedule) {
  runner.suspended_ = schedule;
  runner.alarm_.pending = 1;
  Simulation& engine = simulation();
  beginnings().sleep(engine.call_order(), engine.now + seconds, &runner.alarm_);
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
  return options().iprobe_cost > 0.0 ||
         find_message(runner.world_rank_, runner.group_of(from), runner.envelope(from)) != pysmpi::kNone;
}

void Runner::Appearing::await_suspend(std::coroutine_handle<> schedule) {
  runner.suspended_ = schedule;
  const Envelope envelope = runner.envelope(from);
  BlockedOn& on = runner.owner_->blocked_on;
  on.request = pysmpi::kNone;
  on.requests = 0;
  on.peer = from;
  on.tag = envelope.tag;
  await_message(runner.world_rank_, runner.group_of(from), envelope, &runner.alarm_);
}

// As SMPI's MPI_Waitall does: each message is seen to in the order of completion, and costs the rank what it costs.
Schedule Runner::paced_round() {
  const std::vector<Posting> to_post = std::exchange(to_post_, {});
  std::vector<RequestId>& left = round_;
  for (const Posting& p : to_post) {
    tag_ = p.tag;
    if (p.is_send) {
      co_await Sleeping{*this, send_overhead(p.count * find_datatype(p.type)->size, true, SendMode::kStandard)};
      left.push_back(post_to(p.peer, p.buffer, p.count, p.type));
    } else {
      left.push_back(post_from(p.peer, p.buffer, p.count, p.type, p.combine));
    }
  }
  for (const RequestId id : left) {
    if (!is_complete(id)) await(id, this);
  }
  pending = -1;  // completions are looked for below, not waited for here
  while (!left.empty()) {
    const auto complete = std::find_if(left.begin(), left.end(), is_complete);
    if (complete == left.end()) {
      show_waiting(left.front(), static_cast<std::int32_t>(left.size()));
      co_await AwaitingAny{*this};
      continue;
    }
    const double cost = receive_overhead(*complete);
    settle(*complete);
    left.erase(complete);
    co_await Sleeping{*this, cost};
  }
}

Schedule Runner::paced_start(std::int32_t to, const void* buffer, std::int64_t count, std::int32_t type,
                             SendMode mode) {
  co_await Sleeping{*this, send_overhead(count * find_datatype(type)->size, true, mode)};
  round_.push_back(post_to(to, buffer, count, type, mode));
}

Schedule Runner::paced_send(std::int32_t to, const void* buffer, std::int64_t count, std::int32_t type, SendMode mode) {
  co_await Sleeping{*this, send_overhead(count * find_datatype(type)->size, false, mode)};
  single_ = post_to(to, buffer, count, type, mode);
  co_await Awaiting{*this, Schedule(), Wait::kSingle};
}

Schedule Runner::paced_finish(RequestId started) {
  single_ = started;
  if (!is_settled(Wait::kSingle)) co_await Suspended{*this};
  const double cost = receive_overhead(started);
  settle(Wait::kSingle);
  co_await Sleeping{*this, cost};
}

Runner& take_runner(Communicator& communicator, std::uint32_t sequence) {
  auto& [all, unused, _] = runners();
  if (unused.empty()) {
    all.push_back(std::make_unique<Runner>());
    unused.push_back(all.back().get());
  }
  Runner& runner = *unused.back();
  unused.pop_back();
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
  runner.fault_ = runner.missing_ = {};
  const Options& o = options();
  runner.overheads_ =
      costs_anything(o.send_overhead) || costs_anything(o.isend_overhead) || costs_anything(o.receive_overhead);
  return runner;
}

// The rank is being stopped. Nothing may touch its buffers any more; bytes move when messages are matched, so those
// that are not must leave the queues. A timer or the engine's queue may still refer to the runner, which is why it
// stays.
void Runner::abandon() {
  abandoned_ = true;
  for (Runner* side : runners().all_of(world_rank_)) {  // they look into the frames that go now
    if (side->main_ == this && !side->abandoned_) side->abandon();
  }
  schedule_.clear();
  poll_end_.stop();
  if (single_ != kNone) {
    remove_from_started(single_);
    pysmpi::abandon(single_);
  }
  for (std::size_t i = first_started_; i < started_.size(); ++i) pysmpi::abandon(started_[i]);
  for (const RequestId id : round_) pysmpi::abandon(id);
  kept_.clear();
}

void give_runner(Runner& runner) { runner.let_go(); }

Fault run_blocking(Runner& runner, Schedule schedule, const char* call) {
  runner.call_ = call;
  runner.schedule_ = std::move(schedule);
  runner.in_owner_ = true;
  runner.schedule_.start();
  runner.in_owner_ = false;
  if (!runner.schedule_.done()) {
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

RequestId run_nonblocking(Runner& runner, Schedule schedule, const char* call) {
  runner.owner_ = inside_rank() ? &simulation().fibers[runner.world_rank_] : nullptr;
  return runner.begin(std::move(schedule), call, true);
}

Runner& Runner::beside(std::int32_t stream) {
  Runner& side = take_runner(*communicator_, 0);
  side.rank = rank;
  side.size = size;
  side.members_ = members_;
  side.main_ = this;
  side.world_rank_ = world_rank_;
  side.owner_ = owner_ ? &simulation().fibers[world_rank_] : nullptr;
  side.tag_ = tag_;
  side.stream = stream;
  side.missing_ = missing_;
  side.knows_nodes = knows_nodes;
  return side;
}

RequestId Runner::begin(Schedule schedule, const char* call, bool in_owner) {
  call_ = call;
  const RequestId id = allocate_request();
  Request& r = request(id);
  r.flags = kIsSchedule | kNonblocking | kMatched | kHeld;  // it is in no queue, and goes when the schedule has ended
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
  schedule_.start();
  in_owner_ = false;
  if (schedule_.done()) end();
  return id;
}

RequestId schedule_under_way(RankId rank) {
  for (const Runner* runner : runners().all_of(rank)) {
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
  for (Runner* runner : std::exchange(under_way[rank], {})) {
    if (!runner->abandoned_) runner->abandon();
    let_go(runner->request_);
  }
}

void end_schedules() {
  auto& [all, unused, under_way] = runners();
  under_way.clear();
  unused.clear();
  all.clear();
}

}  // namespace pysmpi
