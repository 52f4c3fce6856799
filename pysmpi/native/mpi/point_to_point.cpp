// Blocking and nonblocking sends and receives.
#include "base/observer.hpp"
#include "engine/library_variables.hpp"
#include "matching/mailboxes.hpp"
#include "mpi/message.hpp"
#include "mpi/requests.hpp"

using namespace pysmpi;

namespace {

void notify_call(const Message& m, bool blocking, bool receives, std::int64_t count,
                 SendMode mode = SendMode::kStandard) {
  notify(&Observer::message_called,
         MessageCall{receives, blocking, *m.communicator, m.envelope, m.datatype->size * count, mode});
}

// Waits for a message or a receive that a blocking call has begun. Returns the request, which the caller must end, or
// kNone if the rank is being stopped.
Steps<RequestId> await_begun(RequestId id, Envelope envelope, const char* function) {
  if (observers) notify(&Observer::buffer_lent, id, envelope, Holding::kAlone);
  if (has_ended(id)) co_return id;
  const bool going = co_await await_end(id, function);
  if (going) co_return id;
  end_request(id, false, MPI_STATUS_IGNORE, function);
  co_return kNone;
}

Steps<RequestId> send_and_wait(Message m, SendMode mode, const void* buffer, std::int64_t count, const char* function) {
  const RequestId id = co_await start_send(m, mode, false, buffer, count, function);
  if (id == kNone) co_return kNone;
  co_return co_await await_begun(id, m.envelope, function);
}

Steps<RequestId> receive_and_wait(Message m, void* buffer, std::int64_t count, const char* function) {
  const RequestId id = co_await start_receive(m, buffer, count, function);
  if (id == kNone) co_return kNone;
  co_return co_await await_begun(id, m.envelope, function);
}

int blocking_send(const char* function, SendMode mode, const void* buffer, std::int64_t count, MPI_Datatype type,
                  int peer, int tag, MPI_Comm comm) {
  Call call(function);
  if (call.stopped()) return kErrorStopped;
  const Message m(function, Lent::kDuringCall, false, buffer, count, type, peer, tag, comm);
  if (m.error) return m.error;
  if (peer == MPI_PROC_NULL) return MPI_SUCCESS;
  if (mode == SendMode::kBuffered) {
    if (const int error = check_attached_room(function, comm, m.datatype->size * count)) return error;
  }
  if (observers) notify_call(m, true, false, count, mode);
  const SafeBuffer safe(const_cast<void*>(buffer), *m.datatype, count);
  const RequestId id = run(send_and_wait(m, mode, safe.get(), count, function));
  return id == kNone ? kErrorStopped : raise_on(comm, end_request(id, true, MPI_STATUS_IGNORE, function));
}

int nonblocking_send(const char* function, SendMode mode, const void* buffer, std::int64_t count, MPI_Datatype type,
                     int peer, int tag, MPI_Comm comm, MPI_Request* handle) {
  Call call(function);
  if (call.stopped()) return kErrorStopped;
  const Message m(function, Lent::kUntilComplete, false, buffer, count, type, peer, tag, comm);
  if (m.error) return m.error;
  if (mode == SendMode::kBuffered && peer != MPI_PROC_NULL) {
    if (const int error = check_attached_room(function, comm, m.datatype->size * count)) return error;
  }
  if (observers) notify_call(m, false, false, count, mode);
  const RequestId id = run(start_send(m, mode, true, permanent(buffer), count, function));
  if (id == kNone) return kErrorStopped;
  request(id).flags |= kNonblocking;
  if (observers) notify(&Observer::buffer_lent, id, m.envelope, Holding::kUntilComplete);
  *handle = handle_of(id);
  return MPI_SUCCESS;
}

int receive(const char* function, void* buf, std::int64_t count, MPI_Datatype datatype, int source, int tag,
            MPI_Comm comm, MPI_Status* status) {
  Call call(function);
  if (call.stopped()) return kErrorStopped;
  const Message m(function, Lent::kDuringCall, true, buf, count, datatype, source, tag, comm);
  if (m.error) return m.error;
  if (source == MPI_PROC_NULL) {
    set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    return MPI_SUCCESS;
  }
  if (observers) notify_call(m, true, true, count);
  const SafeBuffer safe(buf, *m.datatype, count);
  const RequestId id = run(receive_and_wait(m, safe.get(), count, function));
  if (id == kNone) return kErrorStopped;
  safe.copy_back();
  return raise_on(comm, end_request(id, true, status, function));
}

int nonblocking_receive(const char* function, void* buf, std::int64_t count, MPI_Datatype datatype, int source, int tag,
                        MPI_Comm comm, MPI_Request* handle) {
  Call call(function);
  if (call.stopped()) return kErrorStopped;
  const Message m(function, Lent::kUntilComplete, true, buf, count, datatype, source, tag, comm);
  if (m.error) return m.error;
  if (observers) notify_call(m, false, true, count);
  const RequestId id = run(start_receive(m, permanent(buf), count, function));
  if (id == kNone) return kErrorStopped;
  request(id).flags |= kNonblocking;
  if (observers) notify(&Observer::buffer_lent, id, m.envelope, Holding::kUntilComplete);
  *handle = handle_of(id);
  return MPI_SUCCESS;
}

}  // namespace

int MPI_Send_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return blocking_send("MPI_Send", SendMode::kStandard, buf, count, datatype, dest, tag, comm);
}
int MPI_Ssend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return blocking_send("MPI_Ssend", SendMode::kSynchronous, buf, count, datatype, dest, tag, comm);
}
int MPI_Rsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return blocking_send("MPI_Rsend", SendMode::kReady, buf, count, datatype, dest, tag, comm);
}
int MPI_Bsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return blocking_send("MPI_Bsend", SendMode::kBuffered, buf, count, datatype, dest, tag, comm);
}

int MPI_Isend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                MPI_Request* request) {
  return nonblocking_send("MPI_Isend", SendMode::kStandard, buf, count, datatype, dest, tag, comm, request);
}
int MPI_Issend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                 MPI_Request* request) {
  return nonblocking_send("MPI_Issend", SendMode::kSynchronous, buf, count, datatype, dest, tag, comm, request);
}
int MPI_Irsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                 MPI_Request* request) {
  return nonblocking_send("MPI_Irsend", SendMode::kReady, buf, count, datatype, dest, tag, comm, request);
}
int MPI_Ibsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                 MPI_Request* request) {
  return nonblocking_send("MPI_Ibsend", SendMode::kBuffered, buf, count, datatype, dest, tag, comm, request);
}

int MPI_Recv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
               MPI_Status* status) {
  return receive("MPI_Recv", buf, count, datatype, source, tag, comm, status);
}

int MPI_Irecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                MPI_Request* handle) {
  return nonblocking_receive("MPI_Irecv", buf, count, datatype, source, tag, comm, handle);
}
