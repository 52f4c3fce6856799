// MPI_Sendrecv and its variants: a send and a receive at once.
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/observer.hpp"
#include "matching/compound.hpp"
#include "matching/mailboxes.hpp"
#include "mpi/message.hpp"
#include "mpi/requests.hpp"
#include "rank_memory/folded.hpp"
#include "rank_memory/zones.hpp"

using namespace pysmpi;

namespace {

// Both messages of a call of MPI_Sendrecv.
struct Exchange : CallState {
  bool is_begun = false;  // both messages have been posted
  const char* function = nullptr;
  const Communicator* communicator = nullptr;
  Envelope to{}, from{};
  const Datatype *send_type = nullptr, *receive_type = nullptr;
  const void* send_buffer = nullptr;
  void* receive_buffer = nullptr;
  std::int64_t send_count = 0, receive_count = 0;
  RequestId send = kNone, receive = kNone;

  // Posts both messages. Returns false if the rank is being stopped.
  bool post(RankId owner) {
    is_begun = true;
    send = post_send_in_call(owner, *communicator, to, posted_mode(SendMode::kStandard), send_buffer, send_count,
                             *send_type, function);
    if (send == kNone) return false;
    if (observers) notify(&Observer::buffer_lent, send, to, Holding::kInCall);
    receive = post_receive_in_call(owner, *communicator, from, receive_buffer, receive_count, *receive_type, function);
    if (receive == kNone) return false;
    if (observers) notify(&Observer::buffer_lent, receive, from, Holding::kAlone);
    return true;
  }

  // Returns the request that is still incomplete, the receive if both are, or kNone.
  RequestId incomplete() const { return !is_complete(receive) ? receive : !is_complete(send) ? send : kNone; }

  // Lets the fiber wait for both messages. Returns what it then waits for.
  BlockedOn await_both(Fiber& fiber) const {
    await(receive, &fiber);
    await(send, &fiber);
    return {.call = function, .request = incomplete(), .requests = 2, .communicator = communicator->handle};
  }

  void abandon_both() const {
    if (send != kNone) abandon(send);
    if (receive != kNone) abandon(receive);
  }
};

// Goes on with an exchange: posts the messages when the overhead of the send has passed; spends the overhead of the
// receive when both messages are complete.
bool go_on(Fiber& fiber) {
  Exchange& both = static_cast<Exchange&>(*fiber.call_state);
  if (!both.is_begun) {
    both.post(fiber.rank);
    if (both.incomplete() != kNone) {
      fiber.blocked_on = both.await_both(fiber);
      return false;
    }
  }
  fiber.proceed = nullptr;
  return pay_for_receive(fiber, both.receive);
}

// Makes both messages take place. Returns false if the rank is being stopped.
bool carry_out(Exchange& both, double overhead) {
  if (overhead > 0.0 && !sleep_for(overhead, both.function, Spent::kSendOverhead)) return false;
  if (!both.is_begun && !both.post(me())) return false;  // else go_on has posted them
  return both.incomplete() == kNone || block(both.await_both(running_fiber()));
}

int exchange(const char* function, const Message& out, const Message& in, const void* sendbuf, std::int64_t sendcount,
             void* recvbuf, std::int64_t recvcount, MPI_Comm comm, MPI_Status* status) {
  const int mine = out.communicator->my_rank();
  const bool meet = in.envelope.tag == MPI_ANY_TAG || in.envelope.tag == out.envelope.tag;
  if (out.envelope.peer == mine && in.envelope.peer == mine && meet && !out.communicator->inter() &&
      find_message(me(), *in.communicator, in.envelope) == kNone &&
      !is_awaited(me(), *out.communicator, out.envelope)) {  // like SMPI: a copy without cost
    const std::int64_t bytes = out.datatype->size * sendcount, room = in.datatype->size * recvcount;
    void* packed = std::malloc(bytes + 1);
    pack(*out.datatype, sendbuf, sendcount, packed);
    unpack(*in.datatype, packed, bytes < room ? bytes : room, recvbuf);
    std::free(packed);
    set_status(status, mine, out.envelope.tag, bytes < room ? bytes : room);
    if (bytes <= room) return MPI_SUCCESS;
    return fail(comm, MPI_ERR_TRUNCATE, function,
                "message of %lld bytes to itself truncated: the receive buffer has %lld bytes",
                static_cast<long long>(bytes), static_cast<long long>(room));
  }
  const SafeBuffer from(const_cast<void*>(sendbuf), *out.datatype, sendcount);
  const SafeBuffer to(recvbuf, *in.datatype, recvcount);
  const std::int64_t bytes = out.datatype->size * sendcount;
  if (observers) {
    notify(&Observer::exchange_called,
           MessageCall{false, true, *out.communicator, out.envelope, bytes, SendMode::kStandard},
           MessageCall{true, true, *in.communicator, in.envelope, in.datatype->size * recvcount, SendMode::kStandard});
  }
  Fiber* const fiber = inside_rank() ? &running_fiber() : nullptr;
  const bool proceeds = fiber && may_proceed() && !mailboxes_are_locked();
  Exchange on_stack;
  if (proceeds && !fiber->call_state) fiber->call_state = std::make_unique<Exchange>();
  Exchange& both = proceeds ? static_cast<Exchange&>(*fiber->call_state) : on_stack;
  both = {};
  both.function = function;
  both.communicator = out.communicator;
  both.to = out.envelope;
  both.from = in.envelope;
  both.send_type = out.datatype;
  both.receive_type = in.datatype;
  both.send_buffer = from.get();
  both.receive_buffer = to.get();
  both.send_count = sendcount;
  both.receive_count = recvcount;
  if (proceeds) fiber->proceed = go_on;
  const bool to_nobody = out.envelope.peer == MPI_PROC_NULL;
  const bool going = carry_out(both, to_nobody ? 0.0 : send_overhead(bytes, true, posted_mode(SendMode::kStandard)));
  if (proceeds) fiber->proceed = nullptr;
  if (!going) {
    both.abandon_both();
    return kErrorStopped;
  }
  const int sent = wait_and_finish(both.send, MPI_STATUS_IGNORE, function);
  const int received = wait_and_finish(both.receive, status, function);
  if (received != kErrorStopped) to.copy_back();
  return raise_on(comm, received == MPI_SUCCESS ? sent : received);
}

int sendrecv(const char* function, const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, int dest,
             int sendtag, void* recvbuf, std::int64_t recvcount, MPI_Datatype recvtype, int source, int recvtag,
             MPI_Comm comm, MPI_Status* status) {
  Call call(function);
  if (call.stopped()) return kErrorStopped;
  const Message out(function, false, sendbuf, sendcount, sendtype, dest, sendtag, comm);
  if (out.error) return out.error;
  const Message in(function, true, recvbuf, recvcount, recvtype, source, recvtag, comm);
  if (in.error) return in.error;
  return exchange(function, out, in, sendbuf, sendcount, recvbuf, recvcount, comm, status);
}

int sendrecv_replace(const char* function, void* buf, std::int64_t count, MPI_Datatype datatype, int dest, int sendtag,
                     int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  Call call(function);
  if (call.stopped()) return kErrorStopped;
  const Message out(function, false, buf, count, datatype, dest, sendtag, comm);
  if (out.error) return out.error;
  const Message in(function, true, buf, count, datatype, source, recvtag, comm);
  if (in.error) return in.error;
  if (is_folded(buf)) return exchange(function, out, in, buf, count, buf, count, comm, status);
  const Span span = span_of(count, datatype);
  char* copy = static_cast<char*>(std::malloc(span.length + 1));
  if (span.length > 0) move_bytes(copy, static_cast<char*>(buf) + span.begin, span.length);
  const int error = exchange(function, out, in, copy - span.begin, count, buf, count, comm, status);
  std::free(copy);
  return error;
}

// Starts both messages and returns one request for them. The send takes the overhead of a nonblocking send.
int begin_exchange(const char* function, const Message& out, const Message& in, const void* sendbuf,
                   std::int64_t sendcount, std::unique_ptr<char[]> memory, void* recvbuf, std::int64_t recvcount,
                   MPI_Request* handle) {
  RequestId send;
  if (!start_send(out, SendMode::kStandard, true, sendbuf, sendcount, function, send)) return kErrorStopped;
  if (observers) notify(&Observer::buffer_lent, send, out.envelope, Holding::kInCall);
  const RequestId receive =
      post_receive_in_call(me(), *in.communicator, in.envelope, recvbuf, recvcount, *in.datatype, function);
  if (receive == kNone) return kErrorStopped;
  if (observers) notify(&Observer::buffer_lent, receive, in.envelope, Holding::kInCall);
  const RequestId both = begin_compound(me(), *in.communicator, Role::kReceive, in.envelope, 2);
  request(both).flags |= kNonblocking;
  if (memory) keep_memory(both, std::move(memory));
  add_message(both, send);
  add_message(both, receive);
  *handle = handle_of(both);
  return MPI_SUCCESS;
}

int isendrecv(const char* function, const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, int dest,
              int sendtag, void* recvbuf, std::int64_t recvcount, MPI_Datatype recvtype, int source, int recvtag,
              MPI_Comm comm, MPI_Request* handle) {
  Call call(function);
  if (call.stopped()) return kErrorStopped;
  const Message out(function, false, sendbuf, sendcount, sendtype, dest, sendtag, comm);
  if (out.error) return out.error;
  const Message in(function, true, recvbuf, recvcount, recvtype, source, recvtag, comm);
  if (in.error) return in.error;
  return begin_exchange(function, out, in, sendbuf, sendcount, nullptr, recvbuf, recvcount, handle);
}

int isendrecv_replace(const char* function, void* buf, std::int64_t count, MPI_Datatype datatype, int dest, int sendtag,
                      int source, int recvtag, MPI_Comm comm, MPI_Request* handle) {
  Call call(function);
  if (call.stopped()) return kErrorStopped;
  Message out(function, false, buf, count, datatype, dest, sendtag, comm);
  if (out.error) return out.error;
  const Message in(function, true, buf, count, datatype, source, recvtag, comm);
  if (in.error) return in.error;
  if (is_folded(buf)) return begin_exchange(function, out, in, buf, count, nullptr, buf, count, handle);
  const std::int64_t bytes = in.datatype->size * count;
  std::unique_ptr<char[]> packed(new char[bytes]);
  const char* const first = packed.get();
  pack(*in.datatype, buf, count, packed.get());
  out.datatype = find_datatype(MPI_BYTE);
  return begin_exchange(function, out, in, first, bytes, std::move(packed), buf, count, handle);
}

}  // namespace

int MPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  return sendrecv("MPI_Sendrecv", sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                  recvtag, comm, status);
}
int MPI_Sendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                   void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                   MPI_Status* status) {
  return sendrecv("MPI_Sendrecv", sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                  recvtag, comm, status);
}

int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
                         MPI_Comm comm, MPI_Status* status) {
  return sendrecv_replace("MPI_Sendrecv_replace", buf, count, datatype, dest, sendtag, source, recvtag, comm, status);
}
int MPI_Sendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source,
                           int recvtag, MPI_Comm comm, MPI_Status* status) {
  return sendrecv_replace("MPI_Sendrecv_replace", buf, count, datatype, dest, sendtag, source, recvtag, comm, status);
}

int MPI_Isendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
  return isendrecv("MPI_Isendrecv", sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                   recvtag, comm, request);
}
int MPI_Isendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                    MPI_Request* request) {
  return isendrecv("MPI_Isendrecv", sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                   recvtag, comm, request);
}

int MPI_Isendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
                          MPI_Comm comm, MPI_Request* request) {
  return isendrecv_replace("MPI_Isendrecv_replace", buf, count, datatype, dest, sendtag, source, recvtag, comm,
                           request);
}
int MPI_Isendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source,
                            int recvtag, MPI_Comm comm, MPI_Request* request) {
  return isendrecv_replace("MPI_Isendrecv_replace", buf, count, datatype, dest, sendtag, source, recvtag, comm,
                           request);
}
