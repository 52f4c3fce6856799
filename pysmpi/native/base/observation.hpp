// Interface of observers, such as timelines and profiles. They are notified of events in a simulation in the order of
// simulated time. Without observers, each notification costs one test of a pointer: `if (observers)
// tell(&Observer::call_ends, now, thread);`
#pragma once

#include <cstdint>
#include <vector>

#include "base/spent.hpp"
#include "base/types.hpp"

namespace pysmpi {

class Fiber;       // engine/fiber.hpp
struct BlockedOn;  // engine/fiber.hpp
struct BySource;   // engine/time_sources.hpp
struct Request;    // matching/point_to_point.hpp
class Incidence;   // network/incidence.hpp

// What an MPI call refers to, as far as its arguments show.
struct CallSubject {
  static constexpr std::int32_t kNobody = -1000;  // the call has no such argument
  std::int32_t communicator = 0;                  // handle; 0: none
  // Rank in the communicator, kAnySource or kProcNull; for a collective the root.
  std::int32_t peer = kNobody;
  std::int32_t tag = kNobody;
  // Bytes that the rank itself sends, or can receive if it sends nothing.
  std::int64_t bytes = 0;
};

// An observer overrides the events that it needs. Times are simulated seconds. A `thread` is either the first thread of
// a rank, which has the rank's number, or another thread that a rank has started (Fiber::number, Fiber::rank). Time
// passes in a thread only between block_begins and block_ends.
class Observer {
 public:
  virtual ~Observer() = default;

  // begin_observing also reports the threads that exist already. thread_ends also reports threads whose host fails.
  virtual void thread_begins(double /*now*/, const Fiber& /*thread*/) {}
  virtual void thread_ends(double /*now*/, const Fiber& /*thread*/) {}

  // The program calls MPI; calls that MPI functions make among themselves are not reported. `function` is a literal
  // such as "MPI_Recv"; call_site() (engine/call_site.hpp) returns the line of the program. During the call,
  // call_concerns reports its arguments after they have been checked (for MPI_Sendrecv both messages, for MPI_Wait
  // none), and algorithm_chosen the algorithm of a collective, or the selector that chooses it.
  virtual void call_begins(double /*now*/, const Fiber& /*thread*/, const char* /*function*/) {}
  virtual void call_concerns(const Fiber& /*thread*/, const CallSubject&) {}
  virtual void algorithm_chosen(const Fiber& /*thread*/, const char* /*name*/) {}
  virtual void call_ends(double /*now*/, const Fiber& /*thread*/) {}

  // The thread computes `flops`, divided by source, or sleeps. Both happen outside calls, except for schedules that
  // compute.
  virtual void computation_begins(double /*now*/, const Fiber& /*thread*/, const BySource& /*flops*/) {}
  virtual void computation_ends(double /*now*/, const Fiber& /*thread*/) {}
  virtual void sleep_begins(double /*now*/, const Fiber& /*thread*/) {}
  virtual void sleep_ends(double /*now*/, const Fiber& /*thread*/) {}

  // The thread waits, within one of the above or alone (for example for another thread). Kind kTime means a
  // computation, a sleep or the cost of a call (smpi/os, smpi/or, smpi/iprobe …). For requests the kind is kNothing,
  // and `on.request` is the request. At the end, `thread.last` is the request that completed last; for collectives and
  // other schedules see schedule_goes_on.
  virtual void block_begins(double /*now*/, const Fiber& /*thread*/, const BlockedOn& /*on*/) {}
  virtual void block_ends(double /*now*/, const Fiber& /*thread*/) {}

  // The rank's schedule, usually a collective, continues after waiting for messages; `last` is the request that
  // completed last. The last such event before the end of a blocking collective is what ended it. The schedule of a
  // nonblocking collective runs beside its rank, from schedule_begins on, and has the number `beside`; for others it is
  // kNone.
  virtual void schedule_goes_on(double /*now*/, RankId, std::uint32_t /*beside*/, std::uint32_t /*last*/) {}
  virtual void schedule_begins(double /*now*/, RankId, std::uint32_t /*beside*/) {}
  // The schedule continues after spending time on something other than messages.
  virtual void schedule_has_spent(double /*now*/, RankId, std::uint32_t /*beside*/, Spent) {}
  // The message events that follow are caused by this schedule; kNone: by ranks, and by the schedules that they wait
  // for.
  virtual void schedule_acts(std::uint32_t /*beside*/) {}

  // pysmpi.phase; the phases of a thread are nested.
  virtual void phase_begins(double /*now*/, const Fiber& /*thread*/, const char* /*name*/) {}
  virtual void phase_ends(double /*now*/, const Fiber& /*thread*/, const char* /*name*/) {}

  // Messages, including those inside collectives (whose `context` is odd) and one-sided ones (kTransfer), which have no
  // receive to match. `send.sequence` identifies a message. A matched receive has it as Request::message, the time of
  // sending as message_posted, and the sender as peer. A message leaves when it is sent if is_eager(bytes, mode),
  // otherwise when it is matched.
  virtual void message_sent(double /*now*/, const Request& /*send*/) {}
  virtual void message_expected(double /*now*/, const Request& /*receive*/) {}
  virtual void message_matched(double /*now*/, const Request& /*send*/, const Request& /*receive*/) {}
  // The message has arrived. The request is the send if the message is eager, else the receive.
  virtual void message_arrived(double /*now*/, const Request&) {}
  // The rank has looked for a message; `found` is null if there is none.
  virtual void message_looked_for(double /*now*/, RankId, const Request* /*found*/) {}
  // A receive has its message, the buffer of a send is free (not reported for detached sends, which never wait), or a
  // collective has ended.
  virtual void request_completed(double /*now*/, const Request&) {}

  // The flow begins to move or changes its rate; the graph contains its rate and the full links.
  virtual void flow_moves(double /*now*/, const Incidence& /*graph*/, FlowId) {}
  // The flow has moved from `begun` to `until` at this rate, in bytes/s taken from a link of weight 1; its links are
  // graph.usages_of(flow).
  virtual void flow_moved(const Incidence& /*graph*/, FlowId, double /*begun*/, double /*until*/, double /*rate*/) {}
};

extern std::vector<Observer*>* observers;  // null: no observers

void add_observer(Observer& observer);
void remove_observer(Observer& observer);

// Call an event of all observers; `observers` must not be null.
template <class... Parameters, class... Arguments>
void tell(void (Observer::*event)(Parameters...), const Arguments&... arguments) {
  for (Observer* const observer : *observers) (observer->*event)(arguments...);
}

}  // namespace pysmpi
