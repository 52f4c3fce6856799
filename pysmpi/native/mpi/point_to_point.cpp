// Sends, receives, probes and their persistent forms.
#include <cstdlib>
#include <cstring>

#include "collectives/persistent.hpp"
#include "engine/options.hpp"
#include "matching/failures.hpp"
#include "matching/probing.hpp"
#include "memory/copy.hpp"
#include "memory/datatype.hpp"
#include "mpi/requests.hpp"

using namespace pysmpi;

namespace {

// The arguments that all point-to-point functions share, checked.
struct Message {
  const Communicator* communicator = nullptr;
  const Datatype* datatype = nullptr;
  Envelope envelope{};
  int error = MPI_SUCCESS;

  Message(const char* function, bool receives, std::int64_t count, MPI_Datatype type, int peer, int tag,
          MPI_Comm comm) {
    communicator = find_communicator(comm);
    if (!communicator || communicator->my_rank() < 0) {
      error = fail(MPI_COMM_NULL, MPI_ERR_COMM, function, "%s",
                   communicator ? "the running rank is not in this communicator" : "not a communicator");
      return;
    }
    datatype = find_datatype(type);
    if (!datatype) {
      error = fail(comm, MPI_ERR_TYPE, function, "not a datatype (handle 0x%08x)", static_cast<unsigned>(type));
    } else if (count < 0) {
      error = fail(comm, MPI_ERR_COUNT, function, "negative count %lld", static_cast<long long>(count));
    } else if ((peer < 0 || peer >= communicator->peer_count()) && peer != MPI_PROC_NULL &&
               !(receives && peer == MPI_ANY_SOURCE)) {
      error = fail(comm, MPI_ERR_RANK, function, "invalid rank %d, valid are 0 to %d and MPI_PROC_NULL%s", peer,
                   communicator->peer_count() - 1, receives ? " and MPI_ANY_SOURCE" : "");
    } else if (peer != MPI_PROC_NULL && (tag < 0 || tag > kTagUpperBound) && !(receives && tag == MPI_ANY_TAG)) {
      error = fail(comm, MPI_ERR_TAG, function, "invalid tag %d, valid are 0 to %d%s", tag, kTagUpperBound,
                   receives ? " and MPI_ANY_TAG" : "");
    } else if (!inside_rank() && peer != MPI_PROC_NULL) {
      error = fail(comm, MPI_ERR_UNSUPPORTED_OPERATION, function, "no messages outside the ranks of a simulation");
    }
    envelope = {peer, tag, communicator->context};
  }
};

// A buffer that other ranks cannot overwrite while this one is suspended: itself, or a copy on the heap when it lies on
// the C stack, whose slices greenlets swap.
class SafeBuffer {
 public:
  SafeBuffer(void* buffer, const Datatype& type, std::int64_t count)
      : buffer_(buffer), span_(span_of(count, type.handle)) {
    if (span_.length <= 0 || !on_c_stack(buffer)) return;
    copy_ = static_cast<char*>(std::malloc(span_.length));
    std::memcpy(copy_, static_cast<char*>(buffer_) + span_.begin, span_.length);
  }
  ~SafeBuffer() { std::free(copy_); }
  SafeBuffer(const SafeBuffer&) = delete;
  SafeBuffer& operator=(const SafeBuffer&) = delete;

  void* get() const { return copy_ ? copy_ - span_.begin : buffer_; }
  void copy_back() const {
    if (copy_) std::memcpy(static_cast<char*>(buffer_) + span_.begin, copy_, span_.length);
  }

 private:
  void* buffer_;
  Span span_;
  char* copy_ = nullptr;
};

int raise_on(MPI_Comm comm, int error) {
  return error == MPI_SUCCESS || error == kErrorStopped ? error : raise_error(comm, error);
}

RankId me() { return inside_rank() ? simulation().running : 0; }

// The send's overhead passes, then it is posted. False when the rank is being stopped.
bool start_send(const Message& m, SendMode mode, bool nonblocking, const void* buffer, std::int64_t count,
                const char* function, RequestId& id) {
  if (m.envelope.peer != MPI_PROC_NULL) {
    const double seconds = send_overhead(m.datatype->size * count, nonblocking, mode);
    if (seconds > 0.0 && !sleep_for(seconds, function)) return false;
  }
  id = post_send(me(), *m.communicator, m.envelope, mode, buffer, count, *m.datatype);
  return true;
}

int blocking_send(const char* function, SendMode mode, const void* buffer, int count, MPI_Datatype type, int peer,
                  int tag, MPI_Comm comm) {
  Call call;
  if (call.stopped()) return kErrorStopped;
  const Message m(function, false, count, type, peer, tag, comm);
  if (m.error) return m.error;
  if (peer == MPI_PROC_NULL) return MPI_SUCCESS;
  const SafeBuffer safe(const_cast<void*>(buffer), *m.datatype, count);
  RequestId id;
  if (!start_send(m, mode, false, safe.get(), count, function, id)) return kErrorStopped;
  return raise_on(comm, wait_and_finish(id, MPI_STATUS_IGNORE, function));
}

int nonblocking_send(const char* function, SendMode mode, const void* buffer, int count, MPI_Datatype type, int peer,
                     int tag, MPI_Comm comm, MPI_Request* handle) {
  Call call;
  if (call.stopped()) return kErrorStopped;
  const Message m(function, false, count, type, peer, tag, comm);
  if (m.error) return m.error;
  RequestId id;
  if (!start_send(m, mode, true, buffer, count, function, id)) return kErrorStopped;
  request(id).flags |= kNonblocking;
  *handle = handle_of(id);
  return MPI_SUCCESS;
}

// What becomes of a probe that has found this message, or none.
int end_probe(const Message& m, const char* function, RequestId found, MPI_Status* status) {
  if (found != kNone) {
    const Request& r = request(found);
    set_status(status, r.source, r.tag, r.bytes);
    return MPI_SUCCESS;
  }
  if (m.envelope.peer < 0) return MPI_SUCCESS;
  const RankId source = m.communicator->world(m.envelope.peer);
  if (!has_failed(source)) return MPI_SUCCESS;
  return fail(m.communicator->handle, kErrProcFailed, function, "%s", describe(failure_of(source)).c_str());
}

int make_persistent(const char* function, bool receives, SendMode mode, void* buffer, int count, MPI_Datatype type,
                    int peer, int tag, MPI_Comm comm, MPI_Request* handle) {
  const Message m(function, receives, count, type, peer, tag, comm);
  if (m.error) return m.error;
  const RequestId id = allocate_request();
  Request& r = request(id);
  r.flags = static_cast<std::uint16_t>(kPersistent | (receives ? kIsReceive : kIsSend));
  r.mode = mode;
  r.owner = me();
  r.peer = peer;  // of the communicator: the template is never matched itself
  r.tag = tag;
  r.context = m.envelope.context;
  r.communicator = comm;
  r.datatype = m.datatype;
  hold_datatype(*m.datatype);
  r.count = count;
  r.buffer = buffer;
  *handle = handle_of(id);
  return MPI_SUCCESS;
}

}  // namespace

int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return blocking_send("MPI_Send", SendMode::kStandard, buf, count, datatype, dest, tag, comm);
}
int MPI_Ssend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return blocking_send("MPI_Ssend", SendMode::kSynchronous, buf, count, datatype, dest, tag, comm);
}
int MPI_Rsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return blocking_send("MPI_Rsend", SendMode::kReady, buf, count, datatype, dest, tag, comm);
}
int MPI_Bsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return blocking_send("MPI_Bsend", SendMode::kBuffered, buf, count, datatype, dest, tag, comm);
}

int MPI_Isend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return nonblocking_send("MPI_Isend", SendMode::kStandard, buf, count, datatype, dest, tag, comm, request);
}
int MPI_Issend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return nonblocking_send("MPI_Issend", SendMode::kSynchronous, buf, count, datatype, dest, tag, comm, request);
}
int MPI_Irsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return nonblocking_send("MPI_Irsend", SendMode::kReady, buf, count, datatype, dest, tag, comm, request);
}
int MPI_Ibsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return nonblocking_send("MPI_Ibsend", SendMode::kBuffered, buf, count, datatype, dest, tag, comm, request);
}

int MPI_Recv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  Call call;
  if (call.stopped()) return kErrorStopped;
  const Message m("MPI_Recv", true, count, datatype, source, tag, comm);
  if (m.error) return m.error;
  if (source == MPI_PROC_NULL) {
    set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    return MPI_SUCCESS;
  }
  const SafeBuffer safe(buf, *m.datatype, count);
  const RequestId id = post_receive(me(), *m.communicator, m.envelope, safe.get(), count, *m.datatype);
  const int error = wait_and_finish(id, status, "MPI_Recv");
  if (error != kErrorStopped) safe.copy_back();
  return raise_on(comm, error);
}

int MPI_Irecv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* handle) {
  Call call;
  if (call.stopped()) return kErrorStopped;
  const Message m("MPI_Irecv", true, count, datatype, source, tag, comm);
  if (m.error) return m.error;
  const RequestId id = post_receive(me(), *m.communicator, m.envelope, buf, count, *m.datatype);
  request(id).flags |= kNonblocking;
  *handle = handle_of(id);
  return MPI_SUCCESS;
}

namespace {

int exchange(const char* function, const Message& out, const Message& in, const void* sendbuf, int sendcount,
             void* recvbuf, int recvcount, MPI_Comm comm, MPI_Status* status) {
  const int mine = out.communicator->my_rank();
  const bool meet = in.envelope.tag == MPI_ANY_TAG || in.envelope.tag == out.envelope.tag;
  if (out.envelope.peer == mine && in.envelope.peer == mine && meet && !out.communicator->inter() &&
      find_message(me(), *in.communicator, in.envelope) == kNone &&
      !is_awaited(me(), *out.communicator, out.envelope)) {  // SMPI: a copy, at no cost
    const std::int64_t bytes = out.datatype->size * sendcount, room = in.datatype->size * recvcount;
    void* packed = std::malloc(bytes + 1);
    pack(*out.datatype, sendbuf, sendcount, packed);
    unpack(*in.datatype, packed, bytes < room ? bytes : room, recvbuf);
    std::free(packed);
    set_status(status, mine, out.envelope.tag, bytes < room ? bytes : room);
    if (bytes <= room) return MPI_SUCCESS;
    return fail(comm, MPI_ERR_TRUNCATE, function, "message of %lld bytes to itself truncated: room for %lld",
                static_cast<long long>(bytes), static_cast<long long>(room));
  }
  const SafeBuffer from(const_cast<void*>(sendbuf), *out.datatype, sendcount);
  const SafeBuffer to(recvbuf, *in.datatype, recvcount);
  RequestId send;
  if (!start_send(out, SendMode::kStandard, true, from.get(), sendcount, function, send)) return kErrorStopped;
  const RequestId receive = post_receive(me(), *in.communicator, in.envelope, to.get(), recvcount, *in.datatype);
  const RequestId first = is_complete(receive) ? send : receive;
  if (!is_complete(first)) {
    Fiber& fiber = running_fiber();
    await(receive, &fiber);
    await(send, &fiber);
    if (!block({.call = function, .request = first, .requests = 2, .communicator = comm})) {
      abandon(send);
      abandon(receive);
      return kErrorStopped;
    }
  }
  const int sent = wait_and_finish(send, MPI_STATUS_IGNORE, function);
  const int received = wait_and_finish(receive, status, function);
  if (received != kErrorStopped) to.copy_back();
  return raise_on(comm, received == MPI_SUCCESS ? sent : received);
}

}  // namespace

int MPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  Call call;
  if (call.stopped()) return kErrorStopped;
  const Message out("MPI_Sendrecv", false, sendcount, sendtype, dest, sendtag, comm);
  if (out.error) return out.error;
  const Message in("MPI_Sendrecv", true, recvcount, recvtype, source, recvtag, comm);
  if (in.error) return in.error;
  return exchange("MPI_Sendrecv", out, in, sendbuf, sendcount, recvbuf, recvcount, comm, status);
}

int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
                         MPI_Comm comm, MPI_Status* status) {
  Call call;
  if (call.stopped()) return kErrorStopped;
  const Message out("MPI_Sendrecv_replace", false, count, datatype, dest, sendtag, comm);
  if (out.error) return out.error;
  const Message in("MPI_Sendrecv_replace", true, count, datatype, source, recvtag, comm);
  if (in.error) return in.error;
  const Span span = span_of(count, datatype);
  char* copy = static_cast<char*>(std::malloc(span.length + 1));
  if (span.length > 0) std::memcpy(copy, static_cast<char*>(buf) + span.begin, span.length);
  const int error = exchange("MPI_Sendrecv_replace", out, in, copy - span.begin, count, buf, count, comm, status);
  std::free(copy);
  return error;
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  Call call;
  if (call.stopped()) return kErrorStopped;
  const Message m("MPI_Probe", true, 0, MPI_BYTE, source, tag, comm);
  if (m.error) return m.error;
  if (source == MPI_PROC_NULL) {
    set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    return MPI_SUCCESS;
  }
  RequestId found;
  if (!poll_until_found(*m.communicator, m.envelope, "MPI_Probe", found)) return kErrorStopped;
  return end_probe(m, "MPI_Probe", found, status);
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  Call call;
  if (call.stopped()) return kErrorStopped;
  const Message m("MPI_Iprobe", true, 0, MPI_BYTE, source, tag, comm);
  if (m.error) return m.error;
  if (source == MPI_PROC_NULL) {
    *flag = 1;
    set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    return MPI_SUCCESS;
  }
  RequestId found;
  if (!poll_once(*m.communicator, m.envelope, "MPI_Iprobe", found)) return kErrorStopped;
  *flag = found != kNone;
  return end_probe(m, "MPI_Iprobe", found, status);
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  Call call;
  if (call.stopped()) return kErrorStopped;
  const Message m("MPI_Mprobe", true, 0, MPI_BYTE, source, tag, comm);
  if (m.error) return m.error;
  if (source == MPI_PROC_NULL) {
    *message = MPI_MESSAGE_NO_PROC;
    set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    return MPI_SUCCESS;
  }
  RequestId found;
  if (!wait_until_found(*m.communicator, m.envelope, "MPI_Mprobe", found)) return kErrorStopped;
  if (found != kNone) *message = handle_of(take_message(me(), *m.communicator, m.envelope));
  return end_probe(m, "MPI_Mprobe", found, status);
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  Call call;
  if (call.stopped()) return kErrorStopped;
  const Message m("MPI_Improbe", true, 0, MPI_BYTE, source, tag, comm);
  if (m.error) return m.error;
  *message = MPI_MESSAGE_NULL;
  if (source == MPI_PROC_NULL) {
    *flag = 1;
    *message = MPI_MESSAGE_NO_PROC;
    set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    return MPI_SUCCESS;
  }
  RequestId found;
  if (!poll_once(*m.communicator, m.envelope, "MPI_Improbe", found)) return kErrorStopped;
  *flag = found != kNone;
  if (found != kNone) *message = handle_of(take_message(me(), *m.communicator, m.envelope));
  return end_probe(m, "MPI_Improbe", found, status);
}

namespace {

// The message behind a handle made by a matched probe; an error code otherwise.
int find_probed(const char* function, MPI_Message message, MPI_Datatype type, int count, RequestId& id,
                const Datatype*& datatype) {
  const auto bits = static_cast<std::uint32_t>(message);
  id = bits & kHandleIndex;
  constexpr std::uint16_t kTaken = kIsSend | kHeld | kMatched;
  if ((bits & kHandleKind) != kRequestHandle || id >= request_chunks.size() * kRequestsPerChunk ||
      (request(id).flags & kTaken) != kTaken || request(id).partner != kNone) {
    return fail(MPI_COMM_NULL, MPI_ERR_REQUEST, function, "not a message of a matched probe");
  }
  datatype = find_datatype(type);
  if (!datatype) return fail(request(id).communicator, MPI_ERR_TYPE, function, "not a datatype");
  if (count < 0) return fail(request(id).communicator, MPI_ERR_COUNT, function, "negative count %d", count);
  return MPI_SUCCESS;
}

}  // namespace

int MPI_Mrecv(void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  Call call;
  if (call.stopped()) return kErrorStopped;
  if (*message == MPI_MESSAGE_NO_PROC) {
    *message = MPI_MESSAGE_NULL;
    set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    return MPI_SUCCESS;
  }
  RequestId probed;
  const Datatype* datatype;
  if (const int error = find_probed("MPI_Mrecv", *message, type, count, probed, datatype)) return error;
  const MPI_Comm comm = request(probed).communicator;
  const SafeBuffer safe(buf, *datatype, count);
  const RequestId id = post_matched_receive(probed, safe.get(), count, *datatype);
  *message = MPI_MESSAGE_NULL;
  const int error = wait_and_finish(id, status, "MPI_Mrecv");
  if (error != kErrorStopped) safe.copy_back();
  return raise_on(comm, error);
}

int MPI_Imrecv(void* buf, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* handle) {
  Call call;
  if (call.stopped()) return kErrorStopped;
  RequestId id;
  if (*message == MPI_MESSAGE_NO_PROC) {
    id = post_receive(me(), *find_communicator(MPI_COMM_WORLD), {kProcNull, 0, 0}, buf, 0, *find_datatype(MPI_BYTE));
  } else {
    RequestId probed;
    const Datatype* datatype;
    if (const int error = find_probed("MPI_Imrecv", *message, type, count, probed, datatype)) return error;
    id = post_matched_receive(probed, buf, count, *datatype);
  }
  request(id).flags |= kNonblocking;
  *message = MPI_MESSAGE_NULL;
  *handle = handle_of(id);
  return MPI_SUCCESS;
}

int MPI_Send_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  return make_persistent("MPI_Send_init", false, SendMode::kStandard, const_cast<void*>(buf), count, datatype, dest,
                         tag, comm, request);
}
int MPI_Ssend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                   MPI_Request* request) {
  return make_persistent("MPI_Ssend_init", false, SendMode::kSynchronous, const_cast<void*>(buf), count, datatype, dest,
                         tag, comm, request);
}
int MPI_Rsend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                   MPI_Request* request) {
  return make_persistent("MPI_Rsend_init", false, SendMode::kReady, const_cast<void*>(buf), count, datatype, dest, tag,
                         comm, request);
}
int MPI_Bsend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                   MPI_Request* request) {
  return make_persistent("MPI_Bsend_init", false, SendMode::kBuffered, const_cast<void*>(buf), count, datatype, dest,
                         tag, comm, request);
}
int MPI_Recv_init(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  return make_persistent("MPI_Recv_init", true, SendMode::kStandard, buf, count, datatype, source, tag, comm, request);
}

int MPI_Start(MPI_Request* handle) { return MPI_Startall(1, handle); }

int MPI_Startall(int count, MPI_Request array_of_requests[]) {
  Call call;
  if (call.stopped()) return kErrorStopped;
  for (int i = 0; i < count; ++i) {
    const RequestId id = request_of(array_of_requests[i]);
    if (id == kNone || !(request(id).flags & kPersistent) || request(id).partner != kNone) {
      return fail(MPI_COMM_NULL, MPI_ERR_REQUEST, "MPI_Start", "request %d of %d is not an inactive persistent one", i,
                  count);
    }
    if (request(id).flags & kIsSchedule) {
      if (const int error = start_persistent_collective(id)) return error;
      continue;
    }
    const Request r = request(id);
    const Communicator* communicator = find_communicator(r.communicator);
    if (!communicator) return fail(MPI_COMM_NULL, MPI_ERR_COMM, "MPI_Start", "its communicator has been freed");
    const Envelope envelope{r.peer, r.tag, r.context};
    if (r.flags & kIsReceive) {
      request(id).partner = post_receive(me(), *communicator, envelope, r.buffer, r.count, *r.datatype);
      continue;
    }
    if (r.peer != kProcNull) {  // SMPI starts persistent sends as blocking ones: smpi/os
      const double seconds = send_overhead(r.datatype->size * r.count, false, r.mode);
      if (seconds > 0.0 && !sleep_for(seconds, "MPI_Start")) return kErrorStopped;
    }
    request(id).partner = post_send(me(), *communicator, envelope, r.mode, r.buffer, r.count, *r.datatype);
  }
  return MPI_SUCCESS;
}

// Buffered sends copy their bytes when they are posted, wherever the program's buffer is: attached ones are remembered
// so that they can be detached, and sends have no other limit than memory, as in SMPI.
namespace {
AttachedBuffer& attached_buffer() {
  static AttachedBuffer outside_ranks;
  return inside_rank() ? simulation().fibers[me()].attached : outside_ranks;
}
}  // namespace

int MPI_Buffer_attach(void* buffer, int size) {
  if (size < 0) return fail(MPI_COMM_NULL, MPI_ERR_ARG, "MPI_Buffer_attach", "negative size %d", size);
  AttachedBuffer& mine = attached_buffer();
  if (mine.address) return fail(MPI_COMM_NULL, MPI_ERR_BUFFER, "MPI_Buffer_attach", "a buffer is attached already");
  mine = {buffer, size};
  return MPI_SUCCESS;
}

int MPI_Buffer_detach(void* buffer_addr, int* size) {
  AttachedBuffer& mine = attached_buffer();
  if (!mine.address) return fail(MPI_COMM_NULL, MPI_ERR_BUFFER, "MPI_Buffer_detach", "no buffer is attached");
  *static_cast<void**>(buffer_addr) = mine.address;
  *size = mine.size;
  mine = {};
  return MPI_SUCCESS;
}
