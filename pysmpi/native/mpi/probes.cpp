// Probes, and receives of messages that matched probes have found.
#include "base/observer.hpp"
#include "datatypes/checks.hpp"
#include "engine/library_variables.hpp"
#include "matching/failures.hpp"
#include "matching/probing.hpp"
#include "mpi/message.hpp"
#include "mpi/requests.hpp"

using namespace pysmpi;

namespace {

// Keeps the communicator of a blocking probe alive until the probe ends, even if another thread of the rank frees it.
class HeldCommunicator {
 public:
  explicit HeldCommunicator(std::int32_t handle) : held_(*find_communicator(handle)) { hold_communicator(held_); }
  ~HeldCommunicator() { release_communicator(held_); }
  HeldCommunicator(const HeldCommunicator&) = delete;
  HeldCommunicator& operator=(const HeldCommunicator&) = delete;

 private:
  Communicator& held_;
};

// Ends a probe: fills the status if it has found a message, else reports a failed source.
int end_probe(const Message& m, const char* function, RequestId found, MPI_Status* status) {
  if (found != kNone) {
    const Request& r = request(found);
    set_status(status, r.source, r.tag, r.bytes);
    if (inside_rank()) simulation().measured_intervals.received(r.source, r.tag, r.bytes);
    return MPI_SUCCESS;
  }
  if (m.envelope.peer < 0) return MPI_SUCCESS;
  const RankId source = m.communicator->peer_world(m.envelope.peer, me());
  if (!has_failed(source)) return MPI_SUCCESS;
  return fail(m.communicator->handle, kErrProcFailed, function, "%s", describe(failure_of(source)).c_str());
}

}  // namespace

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  Call call("MPI_Probe");
  if (call.stopped()) return kErrorStopped;
  const Message m("MPI_Probe", Lent::kDuringCall, true, nullptr, 0, MPI_BYTE, source, tag, comm);
  if (m.error) return m.error;
  if (source == MPI_PROC_NULL) {
    set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    return MPI_SUCCESS;
  }
  const HeldCommunicator held(comm);
  RequestId found;
  if (!poll_until_found(*m.communicator, m.envelope, "MPI_Probe", found)) return kErrorStopped;
  return end_probe(m, "MPI_Probe", found, status);
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  Call call("MPI_Iprobe");
  if (call.stopped()) return kErrorStopped;
  const Message m("MPI_Iprobe", Lent::kDuringCall, true, nullptr, 0, MPI_BYTE, source, tag, comm);
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
  Call call("MPI_Mprobe");
  if (call.stopped()) return kErrorStopped;
  const Message m("MPI_Mprobe", Lent::kDuringCall, true, nullptr, 0, MPI_BYTE, source, tag, comm);
  if (m.error) return m.error;
  if (source == MPI_PROC_NULL) {
    *message = MPI_MESSAGE_NO_PROC;
    set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    return MPI_SUCCESS;
  }
  const HeldCommunicator held(comm);
  RequestId found;
  if (!wait_until_found(*m.communicator, m.envelope, "MPI_Mprobe", found)) return kErrorStopped;
  if (found != kNone) *message = handle_of(take_message(me(), *m.communicator, m.envelope));
  return end_probe(m, "MPI_Mprobe", found, status);
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  Call call("MPI_Improbe");
  if (call.stopped()) return kErrorStopped;
  const Message m("MPI_Improbe", Lent::kDuringCall, true, nullptr, 0, MPI_BYTE, source, tag, comm);
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

void notify_receive(RequestId probed, std::int64_t bytes) {
  const Request& send = request(probed);
  const Communicator* const communicator = find_communicator(send.communicator);
  if (!communicator) return;  // the communicator has been freed since the probe
  const Envelope envelope{send.source, send.tag, send.context};
  notify(&Observer::message_called, MessageCall{true, true, *communicator, envelope, bytes, SendMode::kStandard});
}

// Finds the message of a handle made by a matched probe. Returns an error code if the handle has none.
int find_probed(const char* function, const void* buffer, MPI_Message message, MPI_Datatype type, std::int64_t count,
                RequestId& id, const Datatype*& datatype) {
  const auto bits = static_cast<std::uint32_t>(message);
  id = bits & kHandleIndex;
  constexpr std::uint16_t kTaken = kHeld | kMatched;
  if ((bits & kHandleKind) != kRequestHandle || id >= RequestPool::current().size() || !request(id).is_send() ||
      (request(id).flags & kTaken) != kTaken || request(id).partner != kNone) {
    return fail(MPI_COMM_NULL, MPI_ERR_REQUEST, function, "the handle is not a message found by a matched probe");
  }
  const MPI_Comm comm = request(id).communicator;
  datatype = committed_datatype(type);
  if (!datatype) return fail(comm, MPI_ERR_TYPE, function, "%s", describe_unusable(type).c_str());
  if (count < 0) return fail(comm, MPI_ERR_COUNT, function, "negative count %lld", static_cast<long long>(count));
  const char* const fault = buffer_fault(buffer, count, *datatype);
  return fault ? fail(comm, MPI_ERR_BUFFER, function, "the buffer %s", fault) : MPI_SUCCESS;
}

int matched_receive(const char* function, void* buf, std::int64_t count, MPI_Datatype type, MPI_Message* message,
                    MPI_Status* status) {
  Call call(function);
  if (call.stopped()) return kErrorStopped;
  if (*message == MPI_MESSAGE_NO_PROC) {
    *message = MPI_MESSAGE_NULL;
    set_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    return MPI_SUCCESS;
  }
  RequestId probed;
  const Datatype* datatype;
  if (const int error = find_probed(function, buf, *message, type, count, probed, datatype)) return error;
  const MPI_Comm comm = request(probed).communicator;
  if (refuse_on_stack(function, Lent::kDuringCall, buf, *datatype, count)) return kErrorStopped;
  const SafeBuffer safe(buf, *datatype, count);
  if (observers) notify_receive(probed, datatype->size * count);
  const RequestId id = post_matched_receive(probed, safe.get(), count, *datatype);
  if (observers)
    notify(&Observer::buffer_lent, id, Envelope{request(id).source, request(id).tag, request(id).context},
           Holding::kAlone);
  *message = MPI_MESSAGE_NULL;
  const int error = wait_and_finish(id, status, function);
  if (error != kErrorStopped) safe.copy_back();
  return raise_on(comm, error);
}

int nonblocking_matched_receive(const char* function, void* buf, std::int64_t count, MPI_Datatype type,
                                MPI_Message* message, MPI_Request* handle) {
  Call call(function);
  if (call.stopped()) return kErrorStopped;
  RequestId id;
  if (*message == MPI_MESSAGE_NO_PROC) {
    id = post_receive(me(), *find_communicator(MPI_COMM_WORLD), {kProcNull, 0, 0}, buf, 0, *find_datatype(MPI_BYTE));
  } else {
    RequestId probed;
    const Datatype* datatype;
    if (const int error = find_probed(function, buf, *message, type, count, probed, datatype)) return error;
    if (refuse_on_stack(function, Lent::kUntilComplete, buf, *datatype, count)) return kErrorStopped;
    if (observers) notify(&Observer::other_operation, me(), "MPI_Imrecv");
    id = post_matched_receive(probed, permanent(buf), count, *datatype);
  }
  request(id).flags |= kNonblocking;
  if (observers)
    notify(&Observer::buffer_lent, id, Envelope{request(id).source, request(id).tag, request(id).context},
           Holding::kUntilComplete);
  *message = MPI_MESSAGE_NULL;
  *handle = handle_of(id);
  return MPI_SUCCESS;
}

}  // namespace

int MPI_Mrecv_c(void* buf, MPI_Count count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  return matched_receive("MPI_Mrecv", buf, count, type, message, status);
}

int MPI_Imrecv_c(void* buf, MPI_Count count, MPI_Datatype type, MPI_Message* message, MPI_Request* handle) {
  return nonblocking_matched_receive("MPI_Imrecv", buf, count, type, message, handle);
}
