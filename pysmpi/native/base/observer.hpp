// The interface through which a timeline, a profile, a trace or the checks observe a simulation.
//
// All observers are in one list. The code that causes an event notifies all observers, in the order of simulated time,
// as follows:
//     if (observers) notify(&Observer::call_ends, now, thread);
// If a run is not observed, each event costs one comparison of a pointer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/simulation_part.hpp"
#include "base/spent.hpp"
#include "base/types.hpp"

namespace pysmpi {

class Fiber;            // engine/fiber.hpp
struct BlockedOn;       // engine/fiber.hpp
struct BySource;        // engine/time_sources.hpp
struct CollectiveCall;  // collectives/call.hpp
struct Communicator;    // matching/communicator.hpp
struct Envelope;        // matching/point_to_point.hpp
struct Request;         // matching/request.hpp
enum class SendMode : std::uint8_t;
class Incidence;  // network/incidence.hpp

// The communicator, peer and size of an MPI call, taken from the arguments of the call.
struct CallSubject {
  static constexpr std::int32_t kNobody = -1000;  // the call has no such argument
  std::int32_t communicator = 0;                  // handle; 0 for none
  std::int32_t peer = kNobody;  // rank in the communicator, kAnySource or kProcNull; for a collective the root
  std::int32_t tag = kNobody;
  std::int64_t bytes = 0;  // size of the rank's contribution: the data sent, or else the size of the receive buffer
};

// A message that the running rank itself sends or receives by an MPI call, not inside a collective.
struct MessageCall {
  bool receives;
  bool blocking;
  const Communicator& communicator;
  const Envelope& envelope;
  std::int64_t bytes;  // size of the message; for a receive, size of the buffer
  SendMode mode;       // kStandard for a receive
};

// Duration for which a request owns the program's buffer.
enum class Holding : std::uint8_t {
  kAlone,          // until the call returns; the call makes no other request
  kInCall,         // until the call returns
  kUntilComplete,  // until the program has waited for the request
};

enum class ObjectKind : std::int32_t { kDatatype, kOperation };

// Events of a simulation. An event that is not overridden does nothing. Times are simulated, in seconds. A `thread` is
// a rank's first thread, whose number is the rank's, or another thread that a rank has started (Fiber::number,
// Fiber::rank). Time passes in a thread between block_begins and block_ends only. An event passes a request by number
// if an observer may keep the number, otherwise by reference.
class Observer {
 public:
  virtual ~Observer() = default;

  // A thread begins or ends. begin_observing reports existing threads to a new observer by thread_begins. The failure
  // of a host ends its threads.
  virtual void thread_begins(double /*now*/, const Fiber& /*thread*/) {}
  virtual void thread_ends(double /*now*/, const Fiber& /*thread*/) {}

  // The program calls an MPI function. Calls that MPI functions make among themselves are not reported. `function` is a
  // string literal, such as "MPI_Recv"; call_site() in engine/call_site.hpp identifies the source line. call_concerns
  // follows once the arguments have been checked (twice for MPI_Sendrecv, never for MPI_Wait). algorithm_chosen follows
  // in collectives, with the name of the algorithm or of the selector.
  virtual void call_begins(double /*now*/, const Fiber& /*thread*/, const char* /*function*/) {}
  virtual void call_concerns(const Fiber& /*thread*/, const CallSubject&) {}
  virtual void algorithm_chosen(const Fiber& /*thread*/, const char* /*name*/) {}
  virtual void call_ends(double /*now*/, const Fiber& /*thread*/) {}

  // A selector has chosen an algorithm for the running rank's part of a collective. `operation` is the name of the
  // option for the operation, such as "allreduce". Selectors that decide without a table of names do not report it.
  virtual void algorithm_selected(const char* /*operation*/, const char* /*name*/) {}

  // The rank starts to write `bytes` bytes to a file, or to read them.
  virtual void file_accessed(RankId, bool /*writes*/, std::int64_t /*bytes*/) {}

  // An operation of the rank that no other event describes, such as "MPI_Imrecv".
  virtual void other_operation(RankId, const char* /*name*/) {}

  // computation_begins, computation_ends: the thread computes `flops`, which are given separately for each source
  // (measured, modelled, …). sleep_begins, sleep_ends: the thread sleeps. Inside an MPI call, only a schedule (the
  // steps of a collective) computes.
  virtual void computation_begins(double /*now*/, const Fiber& /*thread*/, const BySource& /*flops*/) {}
  virtual void computation_ends(double /*now*/, const Fiber& /*thread*/) {}
  virtual void sleep_begins(double /*now*/, const Fiber& /*thread*/) {}
  virtual void sleep_ends(double /*now*/, const Fiber& /*thread*/) {}
  // The thread has computed something in a function that runs inside an MPI call, such as a user-defined reduction.
  // Such a computation takes no simulated time.
  virtual void computation_skipped(const Fiber& /*thread*/, const BySource& /*flops*/) {}
  // The rank has spent `seconds` on a poll or on reading the clock.
  virtual void idled(RankId, double /*seconds*/) {}

  // block_begins: the thread begins to wait in an MPI call, a computation or a sleep, or for another thread. `on.kind`
  // is kTime in a computation, a sleep or a call overhead (smpi/os, smpi/or, smpi/iprobe …). It is kNothing in a wait
  // for requests; `on.request` is then the number of one of them. block_ends: the wait is over, and `thread.last` is
  // the number of the request that completed last. For collectives and other schedules, schedule_goes_on reports that
  // request instead.
  virtual void block_begins(double /*now*/, const Fiber& /*thread*/, const BlockedOn& /*on*/) {}
  virtual void block_ends(double /*now*/, const Fiber& /*thread*/) {}

  // schedule_goes_on: the rank's schedule (mostly of a collective) resumes after waiting for messages; `last` is the
  // number of the request that completed last. The last such event before a blocking collective ends names the message
  // that let the collective end. `beside` is the number of a nonblocking schedule, which runs beside its rank after
  // schedule_begins; kNone for a blocking schedule.
  virtual void schedule_goes_on(double /*now*/, RankId, std::uint32_t /*beside*/, std::uint32_t /*last*/) {}
  virtual void schedule_begins(double /*now*/, RankId, std::uint32_t /*beside*/) {}
  // The schedule resumes after an overhead, a poll, a computation or a sleep, not after waiting for messages.
  virtual void schedule_has_spent(double /*now*/, RankId, std::uint32_t /*beside*/, Spent) {}
  // From now on, the message events belong to this nonblocking schedule; for kNone, they belong to ranks and blocking
  // schedules.
  virtual void schedule_acts(std::uint32_t /*beside*/) {}

  // Until this event occurs again, messages that are sent belong to a schedule of the MPI function `function`, or to
  // point-to-point calls if `function` is null.
  virtual void schedule_posts(const char* /*function*/) {}

  // The thread enters or leaves a phase (pysmpi.phase). Phases of one thread nest.
  virtual void phase_begins(double /*now*/, const Fiber& /*thread*/, const char* /*name*/) {}
  virtual void phase_ends(double /*now*/, const Fiber& /*thread*/, const char* /*name*/) {}

  // The running rank makes a point-to-point call; nothing has been posted yet. Messages to kProcNull are included.
  virtual void message_called(const MessageCall&) {}
  virtual void exchange_called(const MessageCall& /*send*/, const MessageCall& /*receive*/) {}  // MPI_Sendrecv
  // The running rank's request uses the program's buffer from now until the request is released. The request has been
  // posted and may be complete. `envelope` is the envelope of the posted request; a matched receive has the envelope of
  // its message.
  virtual void buffer_lent(std::uint32_t /*request*/, const Envelope& /*envelope*/, Holding) {}
  // The running rank waits for the request, tests it, or waits for several requests by one call.
  virtual void request_awaited(std::uint32_t /*request*/) {}
  virtual void request_tested(std::uint32_t /*request*/) {}
  virtual void requests_awaited(std::span<const std::uint32_t> /*requests*/) {}
  // request_handed_out: the program gets a handle of the request. request_released: the request may be reused for
  // another message.
  virtual void request_handed_out(std::uint32_t /*request*/) {}
  virtual void request_released(std::uint32_t /*request*/) {}
  // The running rank has flushed or detached its attached buffers, which no longer contain messages.
  virtual void attached_buffers_emptied() {}

  // The message events, from message_sent to message_arrived, report all messages, including messages inside
  // collectives (with an odd `context`) and one-sided transfers, which have no receive. Request::sequence of the send
  // numbers a message; after the match, its receive has the same number in Request::message. An eager message leaves
  // when it is sent, any other message when it is matched; is_eager(bytes, mode) distinguishes these cases.
  virtual void message_sent(double /*now*/, const Request& /*send*/) {}
  virtual void message_expected(double /*now*/, const Request& /*receive*/) {}
  // The bytes of a matched message are about to be copied. Not called for a message that fails, for example because its
  // sender has failed.
  virtual void message_copy_begins(const Request& /*send*/, const Request& /*receive*/) {}
  virtual void message_matched(double /*now*/, const Request& /*send*/, const Request& /*receive*/) {}
  // The bytes have arrived, in simulated time. The request is the send for an eager message, otherwise the receive.
  virtual void message_arrived(double /*now*/, const Request&) {}
  // The rank has probed for a message; `found` is null if none is available.
  virtual void message_looked_for(double /*now*/, RankId, const Request* /*found*/) {}
  // A receive has its message, a send's buffer is free, or a collective has ended. Not called for detached sends.
  virtual void request_completed(double /*now*/, const Request&) {}

  // collective_entered: the running rank enters the communicator's collective number `sequence`. collective_started:
  // the call has been accepted; `request` is the request of a nonblocking or persistent collective, kNone for a
  // blocking one.
  virtual void collective_entered(const CollectiveCall&, std::uint32_t /*sequence*/, bool /*blocking*/) {}
  virtual void collective_started(const CollectiveCall&, std::uint32_t /*request*/) {}
  // The running rank's program calls `function`, an MPI function that is implemented in Python and is collective over
  // the communicator. For a function of a window or file, this is the window's or file's communicator.
  virtual void object_call_entered(const Communicator&, const char* /*function*/) {}
  // A message of the running rank's blocking collective `function` was longer than its buffer.
  virtual void collective_truncated(const char* /*function*/) {}

  // object_made, object_freed: the running rank creates or frees a datatype or a reduction operation.
  virtual void object_made(ObjectKind, std::int64_t /*handle*/) {}
  virtual void object_freed(ObjectKind, std::int64_t /*handle*/) {}

  // The flow begins to move, or its rate changes; `graph` contains the rate and the saturated links.
  virtual void flow_moves(double /*now*/, const Incidence& /*graph*/, FlowId) {}
  // From `begun` to `until`, the flow has moved at `rate`, in bytes/s on a link of weight 1. graph.usages_of(flow)
  // contains its links and their weights.
  virtual void flow_moved(const Incidence& /*graph*/, FlowId, double /*begun*/, double /*until*/, double /*rate*/) {}
};

extern std::vector<Observer*>* observers;  // null if the run is not observed

// The list of observers of the current simulation.
struct Observation : SimulationPart<Observation> {
  Observation() = default;
  ~Observation() { observers = nullptr; }

  std::vector<Observer*> all;
};

void add_observer(Observer& observer);
void remove_observer(Observer& observer);

// Notify all observers of an event. Only call it when `observers` is not null.
template <class... Parameters, class... Arguments>
void notify(void (Observer::*event)(Parameters...), const Arguments&... arguments) {
  for (Observer* const observer : *observers) (observer->*event)(arguments...);
}

}  // namespace pysmpi
