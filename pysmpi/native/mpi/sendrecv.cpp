// MPI_Sendrecv and its variants: a send and a receive at once.
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/library_behaviour.hpp"
#include "base/observer.hpp"
#include "datatypes/layout.hpp"
#include "engine/library_variables.hpp"
#include "matching/compound.hpp"
#include "matching/mailboxes.hpp"
#include "mpi/message.hpp"
#include "mpi/requests.hpp"
#include "rank_memory/folded.hpp"
#include "rank_memory/zones.hpp"

using namespace pysmpi;

namespace {

struct Exchanged {
  RequestId receive = kNone;  // complete, to be ended; kNone: the rank is being stopped
  int sent = MPI_SUCCESS;     // error code of the send, which has been ended
};

Steps<Exchanged> exchange_in_steps(const char* function, Message out, Message in, const void* sendbuf,
                                   std::int64_t sendcount, void* recvbuf, std::int64_t recvcount, MPI_Comm comm) {
  const RequestId send = co_await start_send(out, SendMode::kExchange, true, sendbuf, sendcount, function);
  if (send == kNone) co_return Exchanged{};
  if (observers) notify(&Observer::buffer_lent, send, out.envelope, Holding::kInCall);
  const RequestId receive = co_await start_receive(in, recvbuf, recvcount, function);
  if (receive == kNone) co_return Exchanged{};
  if (observers) notify(&Observer::buffer_lent, receive, in.envelope, Holding::kAlone);
  const RequestId first = is_complete(receive) ? send : receive;
  bool going = true;
  if (!is_complete(first)) {
    Fiber& fiber = running_fiber();
    await(receive, &fiber);
    await(send, &fiber);
    const BlockedOn on{.call = function, .request = first, .requests = 2, .communicator = comm};
    going = co_await Blocked(on);
  }
  const int sent = end_request(send, going, MPI_STATUS_IGNORE, function);
  if (going && !has_ended(receive)) going = co_await await_end(receive, function);
  if (going) co_return Exchanged{receive, sent};
  end_request(receive, false, MPI_STATUS_IGNORE, function);
  co_return Exchanged{};
}

int exchange(const char* function, const Message& out, const Message& in, const void* sendbuf, std::int64_t sendcount,
             void* recvbuf, std::int64_t recvcount, MPI_Comm comm, MPI_Status* status) {
  const int mine = out.communicator->my_rank();
  const bool meet = in.envelope.tag == MPI_ANY_TAG || in.envelope.tag == out.envelope.tag;
  if (library_behaviour().copies_to_itself && out.envelope.peer == mine && in.envelope.peer == mine && meet &&
      !out.communicator->inter() && find_message(me(), *in.communicator, in.envelope) == kNone &&
      !is_awaited(me(), *out.communicator, out.envelope)) {  // as in SMPI, this is a copy without cost
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
  if (observers) {
    notify(
        &Observer::exchange_called,
        MessageCall{false, true, *out.communicator, out.envelope, out.datatype->size * sendcount, SendMode::kStandard},
        MessageCall{true, true, *in.communicator, in.envelope, in.datatype->size * recvcount, SendMode::kStandard});
  }
  const Exchanged exchanged =
      run(exchange_in_steps(function, out, in, from.get(), sendcount, to.get(), recvcount, comm));
  if (exchanged.receive == kNone) return kErrorStopped;
  to.copy_back();
  const int received = end_request(exchanged.receive, true, status, function);
  return raise_on(comm, received == MPI_SUCCESS ? exchanged.sent : received);
}

int sendrecv(const char* function, const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, int dest,
             int sendtag, void* recvbuf, std::int64_t recvcount, MPI_Datatype recvtype, int source, int recvtag,
             MPI_Comm comm, MPI_Status* status) {
  Call call(function);
  if (call.stopped()) return kErrorStopped;
  const Message out(function, Lent::kDuringCall, false, sendbuf, sendcount, sendtype, dest, sendtag, comm);
  if (out.error) return out.error;
  const Message in(function, Lent::kDuringCall, true, recvbuf, recvcount, recvtype, source, recvtag, comm);
  if (in.error) return in.error;
  return exchange(function, out, in, sendbuf, sendcount, recvbuf, recvcount, comm, status);
}

int sendrecv_replace(const char* function, void* buf, std::int64_t count, MPI_Datatype datatype, int dest, int sendtag,
                     int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  Call call(function);
  if (call.stopped()) return kErrorStopped;
  const Message out(function, Lent::kDuringCall, false, buf, count, datatype, dest, sendtag, comm);
  if (out.error) return out.error;
  const Message in(function, Lent::kDuringCall, true, buf, count, datatype, source, recvtag, comm);
  if (in.error) return in.error;
  if (is_folded(buf)) return exchange(function, out, in, buf, count, buf, count, comm, status);
  const Span span = span_of(count, datatype);
  char* copy = static_cast<char*>(std::malloc(span.length + 1));
  if (span.length > 0) move_bytes(copy, shifted(buf, span.begin), span.length);
  const int error = exchange(function, out, in, shifted(copy, -span.begin), count, buf, count, comm, status);
  std::free(copy);
  return error;
}

// Starts both messages and returns one request for them. The send takes the overhead of a nonblocking send.
int begin_exchange(const char* function, const Message& out, const Message& in, const void* sendbuf,
                   std::int64_t sendcount, std::unique_ptr<char[]> memory, void* recvbuf, std::int64_t recvcount,
                   MPI_Request* handle) {
  const RequestId send = run(start_send(out, SendMode::kExchange, true, permanent(sendbuf), sendcount, function));
  if (send == kNone) return kErrorStopped;
  if (observers) notify(&Observer::buffer_lent, send, out.envelope, Holding::kInCall);
  const RequestId receive = run(start_receive(in, permanent(recvbuf), recvcount, function));
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
  const Message out(function, Lent::kUntilComplete, false, sendbuf, sendcount, sendtype, dest, sendtag, comm);
  if (out.error) return out.error;
  const Message in(function, Lent::kUntilComplete, true, recvbuf, recvcount, recvtype, source, recvtag, comm);
  if (in.error) return in.error;
  return begin_exchange(function, out, in, sendbuf, sendcount, nullptr, recvbuf, recvcount, handle);
}

int isendrecv_replace(const char* function, void* buf, std::int64_t count, MPI_Datatype datatype, int dest, int sendtag,
                      int source, int recvtag, MPI_Comm comm, MPI_Request* handle) {
  Call call(function);
  if (call.stopped()) return kErrorStopped;
  Message out(function, Lent::kDuringCall, false, buf, count, datatype, dest, sendtag, comm);
  if (out.error) return out.error;
  const Message in(function, Lent::kUntilComplete, true, buf, count, datatype, source, recvtag, comm);
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

int MPI_Sendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                   void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                   MPI_Status* status) {
  return sendrecv("MPI_Sendrecv", sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                  recvtag, comm, status);
}

int MPI_Sendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source,
                           int recvtag, MPI_Comm comm, MPI_Status* status) {
  return sendrecv_replace("MPI_Sendrecv_replace", buf, count, datatype, dest, sendtag, source, recvtag, comm, status);
}

int MPI_Isendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                    MPI_Request* request) {
  return isendrecv("MPI_Isendrecv", sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                   recvtag, comm, request);
}

int MPI_Isendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source,
                            int recvtag, MPI_Comm comm, MPI_Request* request) {
  return isendrecv_replace("MPI_Isendrecv_replace", buf, count, datatype, dest, sendtag, source, recvtag, comm,
                           request);
}
