// Start and end of a simulation across all layers, and reports on blocked ranks.
#include "bindings/c_api.h"

#include "base/observer.hpp"
#include "bindings/simulation_parts.hpp"
#include "collectives/posted.hpp"
#include "engine/isolation.hpp"
#include "engine/library_variables.hpp"
#include "engine/listener.hpp"
#include "engine/other_threads.hpp"
#include "engine/simulation.hpp"
#include "engine/switching.hpp"
#include "matching/communicator.hpp"
#include "matching/partitioned.hpp"
#include "matching/point_to_point.hpp"
#include "rma/window.hpp"
#include "schedule/running.hpp"

using namespace pysmpi;

void pysmpi_simulation_begin(int32_t ranks, const uint32_t* rank_hosts) { begin_simulation(ranks, rank_hosts); }
void pysmpi_simulation_end(void) { end_simulation(); }

int32_t pysmpi_add_ranks(int32_t count, const uint32_t* rank_hosts) {
  Simulation& engine = simulation();
  const auto first = static_cast<RankId>(engine.fibers.size());
  for (int32_t i = 0; i < count; ++i) engine.add_rank(rank_hosts[i]);
  extend_matching(first + count);
  add_world(first, count);
  for (RankId rank = first; observers && rank < first + count; ++rank) {
    notify(&Observer::thread_begins, engine.now, engine.fibers[rank]);
  }
  return first;
}

namespace {

// Return whether no rank can continue, whatever the state of the ranks.
bool is_stuck(const Simulation& engine) {
  return engine.interrupted || engine.aborted || engine.unreachable || engine.exhausted_by || engine.refused ||
         engine.broken_off || engine.unended == 0;
}

}  // namespace

int32_t pysmpi_next_rank(void) {
  Simulation& engine = simulation();
  set_main_greenlet();
  Fiber* fiber = is_stuck(engine) ? nullptr : engine.next_fiber();
  if (engine.unreachable) {
    engine.unreachable = false;
    if (fiber) engine.ready.push_front(fiber);
    return -5;
  }
  if (engine.unended == 0) return -1;
  if (engine.exhausted_by) {
    if (fiber) engine.ready.push_front(fiber);
    return -7;
  }
  if (engine.refused) {
    engine.refused = false;
    if (fiber) engine.ready.push_front(fiber);
    return -9;
  }
  if (engine.aborted) {
    engine.aborted = false;
    return -4;
  }
  if (engine.interrupted) {
    engine.interrupted = false;
    return -3;
  }
  if (engine.broken_off) return -8;
  if (engine.only_unsuccessful_polls) {
    engine.only_unsuccessful_polls = false;
    show_waiting_schedules();
    show_waiting_posted();
    if (fiber) engine.ready.push_front(fiber);
    return -6;
  }
  if (!fiber) {
    show_waiting_schedules();
    show_waiting_posted();
    return -2;
  }
  fiber->state = FiberState::kRunning;
  hand_over_to(*fiber);
  return fiber->number;
}

void pysmpi_rank_ended(int32_t number) {
  Simulation& engine = simulation();
  Fiber& fiber = engine.fiber(number);
  if (number == fiber.rank) fiber.finalized = true;  // as for code that runs at the end of a process
  if (number == fiber.rank) end_library_variables();
  end_thread_storage();
  fiber.state = FiberState::kEnded;
  engine.time_spent.of_ended += engine.now - fiber.begun_at;
  if (observers) notify(&Observer::thread_ends, engine.now, fiber);
  --engine.unended;
  if (number == fiber.rank) {
    rank_enters(fiber.rank);
    forget_schedules(fiber.rank);
    forget_posted(fiber.rank);
    forget_rank(fiber.rank);
  } else {
    engine.thread_has_ended(fiber);
  }
  hand_back_to_main(fiber);
}

void pysmpi_hide_thread(int32_t hidden) { hide_this_thread(hidden != 0); }

namespace {

int32_t number_of(WaitKind kind) { return static_cast<int32_t>(kind); }

bool is_of_message(int32_t kind) { return kind == number_of(WaitKind::kReceive) || kind == number_of(WaitKind::kSend); }

// Describe the request that a call waits for, or the message in progress of a collective.
void read_request(const Fiber& fiber, const BlockedOn& on, pysmpi_blocked* out) {
  const Request& r = request(on.request);
  if (r.is_schedule()) {
    out->collective = r.call;
    out->kind = number_of(WaitKind::kCollective);
  } else if (on.kind != WaitKind::kCollective) {
    out->kind = number_of(r.is_send() ? WaitKind::kSend : WaitKind::kReceive);
  }
  if (on.kind != WaitKind::kCollective) out->communicator = r.communicator;
  const Request& message = r.is_schedule() && r.partner != kNone ? request(r.partner) : r;
  out->tag = message.tag;
  out->bytes = message.bytes;
  out->peer_world = message.peer;
  const Communicator* communicator = find_communicator_of(fiber.rank, r.communicator);
  out->peer = message.peer < 0 || !communicator || communicator->self ? message.peer
                                                                      : communicator->peers().rank_of(message.peer);
  if (const auto state = find_partitioned(on.request)) {
    out->partitioned = 1;
    out->bytes = state->bytes;
    out->not_ready = state->not_ready;
    out->partition = state->first;
    if (state->not_ready > 0) out->peer_world = -1;
  }
}

// Replace the messages by which a call is implemented by the call that the program has made.
void read_outer_call(const Fiber& fiber, pysmpi_blocked* out) {
  if (fiber.outer_communicator != 0) {
    out->communicator = fiber.outer_communicator;
    if (is_of_message(out->kind)) out->kind = number_of(WaitKind::kCollective);
    out->requests = 1;
  }
  const Communicator* const communicator = find_communicator_of(fiber.rank, out->communicator);
  if (!communicator) return;
  if (out->kind == number_of(WaitKind::kCollective) && out->peer_world >= 0) {
    out->peer = communicator->inter() ? out->peer_world : communicator->ranks.rank_of(out->peer_world);
  }
  if (communicator->window) {
    out->communicator = communicator->window;
    if (out->kind == number_of(WaitKind::kReceive)) out->kind = number_of(WaitKind::kCollective);
  }
}

}  // namespace

void pysmpi_read_blocked(int32_t number, pysmpi_blocked* out) {
  const Fiber& fiber = simulation().fiber(number);
  const BlockedOn& on = fiber.blocked_on;
  *out = {};
  if (fiber.state != FiberState::kBlocked) return;
  out->call = fiber.outer_call ? fiber.outer_call : on.call;
  out->kind = number_of(on.kind);
  out->communicator = on.communicator;
  out->requests = on.requests;
  out->peer = on.peer;
  out->peer_world = -1;
  out->tag = on.tag;
  if (on.kind == WaitKind::kLock) {
    const BlockingLock lock = find_blocking_lock(on.communicator, on.peer);
    out->peer = lock.target;
    out->peer_world = lock.holder;
    return;
  }
  if (on.request != kNone) {
    read_request(fiber, on, out);
  } else if (const Communicator* communicator = find_communicator_of(fiber.rank, on.communicator);
             communicator && on.peer >= 0) {
    out->peer_world = communicator->peer_world(on.peer, fiber.rank);
  }
  read_outer_call(fiber, out);
}
