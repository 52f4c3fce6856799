// Who observes a simulation (a timeline, a profile) is told what happens in it, as it happens, in the order of
// simulated time. Costs a look at a pointer where nobody does: `if (observers) tell(&Observer::call_ends, now,
// thread);`
#pragma once

#include <cstdint>
#include <vector>

#include "base/spent.hpp"
#include "base/types.hpp"

namespace pysmpi {

class Fiber;       // engine/fiber.hpp
struct BlockedOn;  // the same
struct BySource;   // engine/time_sources.hpp
struct Request;    // matching/point_to_point.hpp
class Incidence;   // network/incidence.hpp

// What an MPI call is about, as far as its arguments say.
struct CallSubject {
  static constexpr std::int32_t kNobody = -1000;  // the call has no such argument
  std::int32_t communicator = 0;                  // handle; 0: none
  std::int32_t peer = kNobody;  // its rank in the communicator, kAnySource or kProcNull; of a collective the root
  std::int32_t tag = kNobody;
  std::int64_t bytes = 0;  // of the rank's part: what it sends, or has room for where it sends nothing
};

// Times are simulated, in seconds. A `thread` is a rank's first thread, whose number is the rank's, or another one that
// a rank has started (Fiber::number, Fiber::rank). Time passes in a thread between block_begins and block_ends only.
class Observer {
 public:
  virtual ~Observer() = default;

  // Also told, by begin_observing, of those that there are already. A thread that fails is one whose host fails.
  virtual void thread_begins(double /*now*/, const Fiber& /*thread*/) {}
  virtual void thread_ends(double /*now*/, const Fiber& /*thread*/) {}

  // The program calls MPI: its own calls only, not those that MPI functions make among themselves. `function` is a
  // literal, such as "MPI_Recv"; where in the program it is, call_site() tells (engine/call_site.hpp). In between, what
  // the call is about, once its arguments have been checked (of MPI_Sendrecv, both messages; of MPI_Wait nothing); and
  // the algorithm of a collective, or the selector that chooses it.
  virtual void call_begins(double /*now*/, const Fiber& /*thread*/, const char* /*function*/) {}
  virtual void call_concerns(const Fiber& /*thread*/, const CallSubject&) {}
  virtual void algorithm_chosen(const Fiber& /*thread*/, const char* /*name*/) {}
  virtual void call_ends(double /*now*/, const Fiber& /*thread*/) {}

  // The thread computes, so many flops by where they come from; sleeps. Outside calls, but for schedules that compute.
  virtual void computation_begins(double /*now*/, const Fiber& /*thread*/, const BySource& /*flops*/) {}
  virtual void computation_ends(double /*now*/, const Fiber& /*thread*/) {}
  virtual void sleep_begins(double /*now*/, const Fiber& /*thread*/) {}
  virtual void sleep_ends(double /*now*/, const Fiber& /*thread*/) {}

  // The thread waits, within one of the above or by itself (for another thread, say). WaitKind::kTime: it is a
  // computation, a sleep, or what a call costs (smpi/os, or, iprobe …). Of requests the kind is kNothing, and
  // `on.request` tells. At the end `thread.last` is the request that it has waited for the longest; in a collective,
  // and in other schedules, see schedule_goes_on.
  virtual void block_begins(double /*now*/, const Fiber& /*thread*/, const BlockedOn& /*on*/) {}
  virtual void block_ends(double /*now*/, const Fiber& /*thread*/) {}

  // The rank's schedule (of a collective, mostly) has waited for messages, of which `last` is the request that came
  // last, and goes on. The latest one before the end of a blocking collective is what has let it end. Those of
  // nonblocking collectives run `beside` their ranks, from their beginning on, and have a number; others kNone.
  virtual void schedule_goes_on(double /*now*/, RankId, std::uint32_t /*beside*/, std::uint32_t /*last*/) {}
  virtual void schedule_begins(double /*now*/, RankId, std::uint32_t /*beside*/) {}
  // It goes on after a time that it has spent on something else than messages.
  virtual void schedule_has_spent(double /*now*/, RankId, std::uint32_t /*beside*/, Spent) {}
  // What is told from here on, of messages, is the doing of this one; kNone: of ranks, and of those they wait for.
  virtual void schedule_acts(std::uint32_t /*beside*/) {}

  // pysmpi.phase. They lie inside each other, per thread.
  virtual void phase_begins(double /*now*/, const Fiber& /*thread*/, const char* /*name*/) {}
  virtual void phase_ends(double /*now*/, const Fiber& /*thread*/, const char* /*name*/) {}

  // Messages, those inside collectives included (their `context` is odd), and one-sided ones (kTransfer), which have no
  // receive to be matched. `send.sequence` numbers a message. When it is matched the receive learns of it:
  // Request::message is that number, message_posted when it was sent, peer its sender. It leaves when it is sent
  // (eager), or when it is matched: is_eager(bytes, mode).
  virtual void message_sent(double /*now*/, const Request& /*send*/) {}
  virtual void message_expected(double /*now*/, const Request& /*receive*/) {}
  virtual void message_matched(double /*now*/, const Request& /*send*/, const Request& /*receive*/) {}
  // Its bytes have arrived: told of the send when it is eager, else of the receive.
  virtual void message_arrived(double /*now*/, const Request&) {}
  // The rank has asked whether there is a message; null: none.
  virtual void message_looked_for(double /*now*/, RankId, const Request* /*found*/) {}
  // A receive has its message; a send's buffer is free (of detached sends, which never wait, nothing is told); a
  // collective has ended.
  virtual void request_completed(double /*now*/, const Request&) {}

  // From now on the flow moves, or does so at another rate: the graph tells at which, and which links are full.
  virtual void flow_moves(double /*now*/, const Incidence& /*graph*/, FlowId) {}
  // A flow has moved at this rate, in bytes/s taken from a link of weight 1; its links are graph.usages_of(flow).
  virtual void flow_moved(const Incidence& /*graph*/, FlowId, double /*begun*/, double /*until*/, double /*rate*/) {}
};

extern std::vector<Observer*>* observers;  // null: nobody observes

void add_observer(Observer& observer);
void remove_observer(Observer& observer);

// All observers, that there are.
template <class... Parameters, class... Arguments>
void tell(void (Observer::*event)(Parameters...), const Arguments&... arguments) {
  for (Observer* const observer : *observers) (observer->*event)(arguments...);
}

}  // namespace pysmpi
