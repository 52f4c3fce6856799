// Creation and start of persistent requests.
#include "collectives/persistent.hpp"
#include "base/observer.hpp"
#include "base/options.hpp"
#include "engine/library_variables.hpp"
#include "matching/mailboxes.hpp"
#include "matching/partitioned.hpp"
#include "mpi/message.hpp"
#include "mpi/requests.hpp"

using namespace pysmpi;

namespace {

int make_persistent(const char* function, bool receives, SendMode mode, void* buffer, std::int64_t count,
                    MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* handle) {
  const Message m(function, Lent::kUntilComplete, receives, buffer, count, type, peer, tag, comm);
  if (m.error) return m.error;
  const RequestId id = allocate_request();
  Request& r = request(id);
  r.role = receives ? Role::kReceive : Role::kSend;
  r.flags = kPersistent;
  r.mode = mode;
  r.owner = me();
  r.peer = peer;  // rank in the communicator; the template itself is never matched
  r.tag = tag;
  r.context = m.envelope.context;
  r.communicator = comm;
  r.datatype = m.datatype;
  hold_datatype(*m.datatype);
  r.count = count;
  r.buffer = permanent(buffer);
  *handle = handle_of(id);
  return MPI_SUCCESS;
}

}  // namespace

int MPI_Send_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                    MPI_Request* request) {
  return make_persistent("MPI_Send_init", false, SendMode::kStandard, const_cast<void*>(buf), count, datatype, dest,
                         tag, comm, request);
}
int MPI_Ssend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                     MPI_Request* request) {
  return make_persistent("MPI_Ssend_init", false, SendMode::kSynchronous, const_cast<void*>(buf), count, datatype, dest,
                         tag, comm, request);
}
int MPI_Rsend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                     MPI_Request* request) {
  return make_persistent("MPI_Rsend_init", false, SendMode::kReady, const_cast<void*>(buf), count, datatype, dest, tag,
                         comm, request);
}
int MPI_Bsend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                     MPI_Request* request) {
  return make_persistent("MPI_Bsend_init", false, SendMode::kBuffered, const_cast<void*>(buf), count, datatype, dest,
                         tag, comm, request);
}
int MPI_Recv_init_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                    MPI_Request* request) {
  return make_persistent("MPI_Recv_init", true, SendMode::kStandard, buf, count, datatype, source, tag, comm, request);
}

namespace {

// Start a persistent send or receive.
int start_message(const char* function, RequestId id) {
  const Request r = request(id);
  const Communicator* communicator = find_communicator(r.communicator);
  if (!communicator || communicator->context != r.context)
    return fail(MPI_COMM_NULL, MPI_ERR_COMM, function, "the request's communicator has been freed");
  const Envelope envelope{r.peer, r.tag, r.context};
  const std::int64_t bytes = r.datatype->size * r.count;
  if (observers) {  // SMPI records a start as a standard send, whatever its mode
    notify(&Observer::message_called,
           MessageCall{r.is_receive(), false, *communicator, envelope, bytes, SendMode::kStandard});
  }
  RequestId posted = kNone;
  if (r.is_receive()) {
    posted = run(post_receive_in_call(me(), *communicator, envelope, r.buffer, r.count, *r.datatype, function));
  } else {
    if (r.mode == SendMode::kBuffered && r.peer != kProcNull) {
      if (const int error = check_attached_room(function, r.communicator, bytes)) return error;
    }
    const SendMode mode = posted_mode(r.mode);
    if (r.peer != kProcNull) {  // SMPI starts persistent sends with the overhead of blocking ones, smpi/os
      const double seconds = send_overhead(bytes, false, mode);
      if (seconds > 0.0 && !sleep_for(seconds, function, Spent::kSendOverhead)) return kErrorStopped;
    }
    posted = run(post_send_in_call(me(), *communicator, envelope, mode, r.buffer, r.count, *r.datatype, function));
  }
  request(id).partner = posted;
  if (posted == kNone) return kErrorStopped;
  if (observers) notify(&Observer::buffer_lent, posted, envelope, Holding::kUntilComplete);
  return MPI_SUCCESS;
}

int start_all(const char* function, int count, MPI_Request array_of_requests[]) {
  Call call(function);
  if (call.stopped()) return kErrorStopped;
  if (count < 0) return fail(MPI_COMM_NULL, MPI_ERR_COUNT, function, "negative count %d of requests", count);
  for (int i = 0; i < count; ++i) {
    const RequestId id = request_of(array_of_requests[i]);
    if (id == kNone || !(request(id).flags & kPersistent) || request(id).partner != kNone) {
      return fail(MPI_COMM_NULL, MPI_ERR_REQUEST, function, "entry %d of %d is not an inactive persistent request", i,
                  count);
    }
    if (request(id).is_partitioned()) {
      start_partitioned(id);
    } else {
      const bool is_collective = request(id).is_schedule();
      const int error = is_collective ? start_persistent_collective(id) : start_message(function, id);
      if (error != MPI_SUCCESS) return error;
    }
  }
  return MPI_SUCCESS;
}

}  // namespace

int MPI_Start(MPI_Request* handle) { return start_all("MPI_Start", 1, handle); }
int MPI_Startall(int count, MPI_Request array_of_requests[]) {
  return start_all("MPI_Startall", count, array_of_requests);
}
