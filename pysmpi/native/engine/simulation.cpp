// The event loop of a simulation.
#include "engine/simulation.hpp"

#include "engine/listener.hpp"
#include "engine/native_waits.hpp"

#include <Python.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/options.hpp"

namespace pysmpi {

namespace {

// Run Python's signal handlers. Returns true if one raised an exception (Ctrl-C).
bool signal_raised() {
  const PyGILState_STATE gil = PyGILState_Ensure();
  const bool raised = PyErr_CheckSignals() != 0;
  if (raised) PyErr_Clear();
  PyGILState_Release(gil);
  return raised;
}

}  // namespace

template class SimulationPart<Simulation>;

constinit RankId Simulation::running = -1;
constinit bool Simulation::in_child_process = false;
constinit pthread_t Simulation::ranks_thread{};

void Waiter::take_turn() { simulation().take_turn(place); }
void Waiter::enqueue() { simulation().ready.push_back(this); }

Simulation::Simulation(RankId ranks, const HostId* rank_hosts) : profile_events_(current_platform()->profiles()) {
  running = -1;
  in_child_process = false;
  ranks_thread = pthread_t{};
  const Platform& platform = *current_platform();
  processors.reset(platform);
  disks.reset(platform, options().read_bandwidth, options().write_bandwidth);
  carrier = make_carrier(platform, network);
  const auto slows = [](const NodeGroup& group) { return group.waiting_cost > 0.0; };
  if (options().node_model && std::ranges::any_of(platform.node_groups(), slows)) {
    waiting_ranks.resize(platform.host_count());
  }
  rank_host.reserve(ranks);
  for (RankId rank = 0; rank < ranks; ++rank) add_rank(rank_hosts[rank]);
  if (!profile_events_.empty()) begin_profiles();
}

Simulation::~Simulation() {
  forget_native_waits();
  const PyGILState_STATE gil = PyGILState_Ensure();
  shared_tracing.reset();
  Py_XDECREF(reinterpret_cast<PyObject*>(main_greenlet));
  PyGILState_Release(gil);
}

void Simulation::release_greenlets() {
  const PyGILState_STATE gil = PyGILState_Ensure();
  const auto release = [](Fiber& fiber) {  // greenlets of failed ranks are leaked, because none of their code may run
    if (fiber.failed_at < 0.0 && !is_abandoned(fiber))
      Py_XDECREF(reinterpret_cast<PyObject*>(std::exchange(fiber.greenlet, nullptr)));
  };
  std::for_each(fibers.begin(), fibers.end(), release);
  std::for_each(threads.begin(), threads.end(), release);
  PyGILState_Release(gil);
}

RankId Simulation::add_rank(HostId host) {
  Fiber& fiber = fibers.emplace_back();
  fiber.rank = fiber.number = static_cast<RankId>(rank_host.size());
  fiber.begun_at = now;
  rank_host.push_back(host);
  if (options().threads > 1) rank_threads.push_back(threads_on(host));
  add_core(host);
  processors.add_rank(host);
  if (energy.is_on()) energy.add_rank(now, host);
  ++unended;
  ready.push_back(&fiber);
  return fiber.rank;
}

void Simulation::add_core(HostId host) {
  if (!options().node_model || current_platform()->node_groups().empty()) return;
  std::uint32_t& taken = cores_taken_[host];
  rank_core.push_back(std::exchange(taken, taken + threads_on(host)));
}

std::uint32_t Simulation::threads_on(HostId host) const {
  return std::min(options().threads, static_cast<std::uint32_t>(current_platform()->host_cores(host)));
}

std::uint32_t Simulation::waiting_besides(RankId sender, RankId receiver) const {
  if (waiting_ranks.empty()) return 0;
  const HostId source = rank_host[sender], destination = rank_host[receiver];
  const std::uint32_t sends = fibers[sender].spins ? 1 : 0, receives = fibers[receiver].spins ? 1 : 0;
  if (source == destination) return waiting_ranks[source] - sends - receives;
  return std::max(waiting_ranks[source] - sends, waiting_ranks[destination] - receives);
}

Fiber& Simulation::new_thread() {
  if (ended_threads_.empty()) {
    Fiber& fiber = threads.emplace_back();
    fiber.number = kFirstThread + static_cast<std::int32_t>(threads.size() - 1);
    fiber.begun_at = now;
    return fiber;
  }
  Fiber& fiber = *ended_threads_.back();
  ended_threads_.pop_back();
  fiber.state = FiberState::kUnstarted;
  fiber.measured = true;
  fiber.owed = {};
  fiber.owed_bytes = 0.0;
  fiber.owed_bytes_seconds = {};
  fiber.left_at = -1.0;
  fiber.last_call = 0;
  fiber.begun_at = now;
  fiber.sampling = Sampling::kNot;
  fiber.busy_calls = 0;
  fiber.pending = 0;
  return fiber;  // `waits` continues to count, because alarms of the previous thread may still be pending
}

void Simulation::thread_has_ended(Fiber& fiber) {
  if (!fiber.stopping) ended_threads_.push_back(&fiber);  // a stopped fiber may still be in a queue
}

Fiber* Simulation::next_fiber() {
  chosen_ = nullptr;
  if (cannot_continue()) return nullptr;
  for (;;) {
    while (!ready.empty()) {
      Waiter* waiter = ready.front();
      ready.pop_front();
      // Prefetch a waiter that continues soon: with many waiters, it is seldom in the processor's cache. (This code is
      // inline because GCC removes calls of functions that only prefetch.)
      constexpr std::size_t kAhead = 4;
      if (ready.size() > kAhead) {
        const char* const soon = reinterpret_cast<const char*>(ready[kAhead]);
        __builtin_prefetch(soon);
        __builtin_prefetch(soon + 64);
        __builtin_prefetch(soon + 128);
      }
      const bool turn_goes_on = std::exchange(turn_goes_on_, false);
      if (!turn_goes_on) {
        if (waiter->place.instant != place_.instant) waiter->place = {place_.instant, 1, next_turn()};
        place_ = waiter->place;
        --place_.call;  // the call from which the waiter returns does not count
      }
      waiter->wake();
      if (chosen_) {
        if (now >= break_at && (break_in < 0 || chosen_->rank == break_in)) {
          turn_goes_on_ = turn_goes_on;
          ready.push_front(waiter);
          broken_off = chosen_;
          return nullptr;
        }
        if (++since_signal_check_ < 4096 || !is_to_pause()) return chosen_;
        ready.push_front(waiter);
        return nullptr;
      }
    }
    if (undecided > 0) {
      decide_next_match();
      continue;
    }
    if (wake(awaiting_turn_)) continue;
    if (are_native_waits_woken()) [[unlikely]] {
      continue_native_waits();
      continue;
    }
    if (unended == 0) return nullptr;
    if (!advance() && (cannot_continue() || !await_other_threads() || is_to_pause())) return nullptr;
    if (++since_signal_check_ >= 65536 && is_to_pause()) return nullptr;
  }
}

// Return whether the loop must stop because of an interrupt (Ctrl-C) or an exceeded limit. These conditions are not
// checked at every event, because the check is slow.
bool Simulation::is_to_pause() {
  since_signal_check_ = 0;
  if (processors.is_worn_out() || disks.is_worn_out()) exhausted_by = kTooManyDatings;
  if (const char* const what = network.exhausted_by()) exhausted_by = what;
  interrupted = signal_raised();
  return interrupted || exhausted_by;
}

bool Simulation::is_away(RankId rank) const {
  const auto is_outside = [](const Fiber& fiber) { return fiber.outside && fiber.state == FiberState::kBlocked; };
  return is_outside(fibers[rank]) && std::all_of(threads.begin(), threads.end(), [&](const Fiber& thread) {
           return thread.rank != rank || thread.state == FiberState::kEnded || is_outside(thread);
         });
}

// A turn is the position of a rank among those that are ready in an instant. Leave gaps between the numbers of turns,
// so that turn_before finds numbers between them. A turn has 24 bits (order_of), and in one instant a rank and its
// schedules and threads take about 16 turns at most.
void Simulation::leave_room_between_turns() {
  if (turn_step_ > 1) return;
  turn_step_ = std::bit_floor(std::max(1U, (1U << 20) / static_cast<std::uint32_t>(rank_host.size())));
  turns_ = (turns_ / turn_step_ + 1) * turn_step_;
}

// Return a free turn (position of a rank in an instant) just before `turn`. `old` is the turn that the waiter had until
// now; if this function returned it earlier, it becomes free.
std::uint32_t Simulation::turn_before(std::uint32_t turn, std::uint32_t old) {
  const auto given_up = std::ranges::lower_bound(inserted_turns_, old);
  if (given_up != inserted_turns_.end() && *given_up == old) inserted_turns_.erase(given_up);
  const auto after = std::ranges::lower_bound(inserted_turns_, turn);
  const std::uint32_t regular = turn == 0 ? 0 : (turn - 1) / turn_step_ * turn_step_;
  const std::uint32_t inserted = after == inserted_turns_.begin() ? 0 : *std::prev(after);
  const std::uint32_t room = (turn - std::max(regular, inserted)) / 2;
  // The gap is between the preceding regular turn and `turn`. The first new turn in a gap is put close to `turn`,
  // because most later ones will come before it; this leaves room for many of them.
  const std::uint32_t distance = inserted > regular ? room : std::min(room, std::max(1U, turn_step_ >> 11));
  if (distance > 0) inserted_turns_.insert(after, turn - distance);
  return turn - distance;
}

bool Simulation::await_turn(Fiber& fiber) {
  if (ready.empty() && awaiting_turn_.empty() && undecided == 0) return false;
  fiber.pending = 1;
  awaiting_turn_.push_back(&fiber);
  return true;
}

void Simulation::await_next_event(Fiber& fiber) {
  fiber.pending = 1;
  awaiting_event_.push_back(&fiber);
}

bool Simulation::wake(std::vector<Fiber*>& waiting) {
  if (waiting.empty()) return false;
  for (Fiber* fiber : waiting) fiber->completed_one();
  waiting.clear();
  return true;
}

void Simulation::count_unsuccessful_poll() {
  constexpr std::uint64_t kMany = 2'000'000;
  if (unsuccessful_polls_ == kMany) return;
  const std::size_t under_way = ready.size() + undecided + awaiting_turn_.size() + awaiting_event_.size() +
                                timers.size() + processors.running() + deferred_actions.size() + flows_under_way +
                                (disks.next() == kNever ? 0 : 1) + memory_traffic.under_way() +
                                (memories ? memories->under_way() : 0);
  unsuccessful_polls_ = under_way <= polls_under_way ? unsuccessful_polls_ + 1 : 0;
  only_unsuccessful_polls = unsuccessful_polls_ == kMany;
}

// If the next event is the end of a poll that cannot find a message, let the poll begin again without resuming its
// rank, and so on. This ends before `until`, the time of the next event that is not the end of a computation.
void Simulation::poll_on(double until) {
  if (options().polls_are_independent()) return;  // polls that can be repeated have no events
  constexpr std::uint64_t kMost = 256;            // polls between two checks for signals
  const std::size_t under_way = timers.size() + processors.running() + flows_under_way + memory_traffic.under_way() +
                                (memories ? memories->under_way() : 0);
  if (under_way <= polls_under_way || !awaiting_event_.empty() || !profile_events_.empty()) return;
  const Options& settings = options();
  const std::uint64_t polls =
      processors.poll_on(now, until, settings.precision_timing,
                         {failed_probes, settings.iprobe_cost, settings.grow_injected_times}, kMost);
  place_.instant += polls;
  counters.events += polls;
  counters.failed_probes += polls;
  unreported_polls += polls;
}

bool Simulation::advance() {
  deferred_actions.settle(*this);
  processors.date(now);
  counters.failed_probes += processors.take_repetitions();
  if (memories) memories->date(now);
  if (network.has_failed()) {  // a message was to cross a link that is off
    fail_transfers();
    return true;
  }
  double others = std::min({timers.next(), disks.next(), memories ? memories->next() : kNever});
  others = std::min(others, carrier->next_event(now, std::min({others, processors.next(), profile_events_.next()})));
  if (const char* const problem = carrier->problem()) {
    exhausted_by = problem;
    return false;
  }
  poll_on(others);
  double next = std::min(processors.next(), others);
  if (!profile_events_.empty()) next = follow_profiles(next);
  if (next == kNever) return wake(awaiting_event_);
  // The clock is rounded as in SimGrid, so that events whose times differ only by rounding keep SimGrid's order.
  if (next > now) now += next - now;
  ++place_.instant;
  place_.call = 0;
  turns_ = 0;
  inserted_turns_.clear();
  timers.next_instant();
  const double precision = options().precision_timing;
  if (!failing_.empty()) fail_hosts();
  counters.events += processors.settle(now, precision, timers);
  counters.events += timers.settle(now, precision);
  counters.events += disks.settle(now, precision);
  if (memories) counters.events += memories->settle(now, precision, processors.energy);
  if (network.has_failed()) fail_transfers();
  finished_flows_.clear();
  carrier->settle(now, finished_flows_);
  counters.events += finished_flows_.size();
  for (std::size_t i = 0; i < finished_flows_.size(); ++i) {
    const std::uint32_t token = finished_flows_[i];
    constexpr std::size_t kRequest = 12, kWaiter = 6;  // how many messages ahead each is prefetched
    const auto is_message = [this, i](std::size_t ahead) {
      return i + ahead < finished_flows_.size() && !MemoryTraffic::owns(finished_flows_[i + ahead]);
    };
    if (is_message(kRequest)) prefetch_request(finished_flows_[i + kRequest]);
    if (is_message(kWaiter)) prefetch_waiter(finished_flows_[i + kWaiter]);
    if (MemoryTraffic::owns(token)) {
      memory_traffic.finished(now, token, processors.energy);
    } else {
      flow_finished(token);
    }
  }
  wake(awaiting_event_);
  return true;
}

}  // namespace pysmpi
