// Probes for messages, and detection of ranks that only poll.
#include "matching/probing.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "base/observer.hpp"
#include "base/options.hpp"
#include "engine/busy_waiting.hpp"
#include "engine/computation.hpp"
#include "engine/deferred_actions.hpp"
#include "engine/simulation.hpp"
#include "matching/failures.hpp"
#include "matching/requests.hpp"

namespace pysmpi {

namespace {

// Return whether the rank that the message must come from has failed.
bool source_has_failed(RankId owner, const Communicator& communicator, Envelope envelope) {
  if (envelope.peer < 0) return false;
  return has_failed(communicator.peer_world(envelope.peer, owner));
}

}  // namespace

// A blocking probe of a rank, driven by the engine's loop: it computes, looks for the message, and repeats both.
class Poller final : public Waiter {
 public:
  Poller(const Communicator& communicator, Envelope envelope)
      : communicator_(communicator), envelope_(envelope), place_(Polls::current().pollers.size()) {}

  void compute() {
    computing_ = true;
    start_poll(fiber_.rank, this, 1.0, &unsuccessful_);
  }

  void wake() override {
    const bool has_computed = std::exchange(computing_, false);
    if (has_computed) poll_has_ended();
    if (fiber_.stopping || fiber_.state == FiberState::kEnded) return finish();
    // SMPI makes two calls for a probe: the first one spends the probe's time, the second one searches for the message.
    const bool has_waited = order_ > 0;
    if (!has_waited) order_ = has_computed ? order_of_look() : simulation().call_order();
    const bool in_order = !options().polls_are_independent();
    if (in_order && has_computed && !has_waited && undecided_posts().add_waiter(order_, this)) return;
    const std::uint64_t order = std::exchange(order_, 0);
    if (look_for_message(fiber_.rank, communicator_, envelope_, order) != kNone ||
        source_has_failed(fiber_.rank, communicator_, envelope_)) {
      finish();
    } else if (only_polls_are_under_way()) {  // stop polling, so that the engine detects the deadlock
      await_message(fiber_.rank, communicator_, envelope_, this);
    } else {
      const bool watches = options().polls_are_independent() && !unsuccessful_;
      if (watches) watch_for_message(fiber_.rank, communicator_, envelope_, &unsuccessful_);
      compute();
    }
  }

 private:
  void finish() {
    stop_watching(fiber_.rank, &unsuccessful_);
    auto& pollers = Polls::current().pollers;
    const std::unique_ptr<Poller> self = std::exchange(pollers[place_], std::move(pollers.back()));
    if (pollers[place_]) pollers[place_]->place_ = place_;
    pollers.pop_back();
    simulation().go_on_in_turn(fiber_);
  }

  Fiber& fiber_ = running_fiber();
  const Communicator& communicator_;
  const Envelope envelope_;
  std::size_t place_;          // position in `pollers`
  bool unsuccessful_ = false;  // true while the poll repeats, because no message can be found
  bool computing_ = false;     // true during a poll; false while it waits for its turn or for the message
  std::uint64_t order_ = 0;    // order of the call that looks for the message; 0 if that call has not begun
};

Polls::Polls() = default;
Polls::~Polls() = default;

void Polls::restart() {
  unsuccessful = 0;
  lengthened_before = lengthened;
  ++restarts;
}

std::uint64_t Polls::begin_lengthened() {
  ++lengthened;
  return restarts;
}

void Polls::end_lengthened(std::uint64_t restarts_begun) {
  --lengthened;
  if (restarts_begun != restarts) --lengthened_before;
}

namespace {

void notify_looked_for(RankId owner, RequestId found) {
  notify(&Observer::message_looked_for, simulation().now, owner, found == kNone ? nullptr : &request(found));
}

bool block_in_probe(const Communicator& communicator, Envelope envelope, const char* call) {
  return block({.call = call,
                .kind = WaitKind::kProbe,
                .communicator = communicator.handle,
                .peer = envelope.peer,
                .tag = envelope.tag});
}

// Let other ranks make those calls of this instant that SMPI makes before `order` (Simulation::call_order). Returns
// false if the rank is being stopped.
bool await_earlier_calls(std::uint64_t order, const char* call) {
  Fiber& fiber = running_fiber();
  return fiber.in_task || !undecided_posts().add_waiter(order, &fiber) ||
         block({.call = call, .kind = WaitKind::kTime, .spent = Spent::kPolling});
}

}  // namespace

bool poll_once(const Communicator& communicator, Envelope envelope, const char* call, RequestId& found) {
  Simulation& engine = simulation();
  const double cost = options().iprobe_cost;
  Fiber& fiber = running_fiber();
  const bool takes_time = cost > 0.0 && !fiber.in_task;
  const std::uint64_t before = fiber.busy_calls;
  if (takes_time) {
    const Poll poll;
    if (!fiber.stopping) {
      ++fiber.pending;
      deferred_actions().poll(engine.call_order(), fiber.rank, lengthening_of_poll(cost), &fiber);
    }
    const double begun = engine.now;
    if (!block({.call = call, .kind = WaitKind::kTime, .spent = Spent::kPolling})) return false;
    if (observers) notify(&Observer::idled, fiber.rank, engine.now - begun);
  }
  const std::uint64_t order = takes_time ? order_of_look() : engine.call_order();
  if (takes_time && !options().polls_are_independent() && !await_earlier_calls(order, call)) return false;
  found = look_for_message(engine.running, communicator, envelope, order);
  return found != kNone || end_unsuccessful_poll(cost, before, call);
}

bool poll_until_found(const Communicator& communicator, Envelope envelope, const char* call, RequestId& found) {
  if (options().iprobe_cost <= 0.0) return wait_until_found(communicator, envelope, call, found);
  Fiber& fiber = running_fiber();
  do {  // another thread of the rank may take the message before this one continues
    if (fiber.stopping) return false;
    ++fiber.pending;
    auto& pollers = Polls::current().pollers;
    pollers.push_back(std::make_unique<Poller>(communicator, envelope));
    pollers.back()->compute();
    if (!block_in_probe(communicator, envelope, call)) return false;
    found = find_message(fiber.rank, communicator, envelope);
  } while (found == kNone && !source_has_failed(fiber.rank, communicator, envelope));
  return true;
}

bool wait_until_found(const Communicator& communicator, Envelope envelope, const char* call, RequestId& found) {
  Fiber& fiber = running_fiber();
  found = fiber.stopping ? kNone : find_message(fiber.rank, communicator, envelope);
  if (observers) notify_looked_for(fiber.rank, found);
  while (found == kNone && !source_has_failed(fiber.rank, communicator, envelope)) {
    if (!fiber.stopping) await_message(fiber.rank, communicator, envelope, &fiber);
    if (!block_in_probe(communicator, envelope, call)) return false;
    found = find_message(fiber.rank, communicator, envelope);
    if (observers) notify_looked_for(fiber.rank, found);
  }
  return true;
}

void start_poll(RankId owner, Waiter* waiter, double factor, const bool* unsuccessful) {
  Simulation& engine = simulation();
  ++waiter->pending;
  ++Polls::current().under_way;
  ++engine.polls_under_way;
  deferred_actions().poll(engine.call_order(), owner, factor, waiter, unsuccessful);
}

void poll_has_ended() {
  --Polls::current().under_way;
  --simulation().polls_under_way;
}

std::uint64_t order_of_look() {
  const std::uint64_t order = simulation().call_order();
  const bool of_earlier_instants = options().polls_are_independent() && options().iprobe_cost > 0.0;
  return of_earlier_instants ? Simulation::begin_of_instant(order) : order;
}

RequestId look_for_message(RankId owner, const Communicator& communicator, Envelope envelope, std::uint64_t order,
                           bool unsuccessful) {
  Simulation& engine = simulation();
  const RequestId found = unsuccessful ? kNone : find_message(owner, communicator, envelope, order);
  // If messages may be eager, SMPI looks first among the eager ones and then, with another call, among the others.
  if (options().async_small_threshold > 0 && (found == kNone || !is_eager(request(found).bytes, request(found).mode))) {
    order = engine.call_order();
  }
  deferred_actions().poll_has_ended(order + Simulation::kNextCall, &Simulation::failed_probes, found != kNone);
  if (observers) notify_looked_for(owner, found);
  if (found != kNone) {
    Polls::current().restart();
  } else {
    ++engine.counters.failed_probes;
  }
  return found;
}

// Return whether nothing but polls is happening. The cost of polls that are not lengthened never decreases, so no rank
// polls more than twice between two polls of another rank. Therefore all ranks have polled at least once after two
// unsuccessful polls per polling rank, when the lengthened polls under way at the first of these have ended, too.
bool only_polls_are_under_way() {
  const Simulation& engine = simulation();
  const std::size_t under_way = engine.processors.running() + deferred_actions().size() + engine.timers.size() +
                                engine.flows_under_way + engine.ready.size();
  Polls& polls = Polls::current();
  const bool only_polls = under_way <= polls.under_way && engine.disks.next() == kNever;
  if (std::exchange(polls.unreported, engine.unreported_polls) != engine.unreported_polls) polls.restart();
  if (!only_polls) polls.restart();
  if (only_polls) ++polls.unsuccessful;
  return polls.unsuccessful > 2 * (polls.under_way + 1) && polls.lengthened_before == 0;
}

}  // namespace pysmpi
