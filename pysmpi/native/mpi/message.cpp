// Checks of point-to-point arguments, and buffers that survive the suspension of a rank.
#include "mpi/message.hpp"

#include <cstdlib>
#include <cstring>

#include "base/library_behaviour.hpp"
#include "base/observer.hpp"
#include "datatypes/checks.hpp"
#include "datatypes/stack_memory.hpp"
#include "engine/library_variables.hpp"
#include "engine/refusal.hpp"
#include "matching/mailboxes.hpp"

namespace pysmpi {

namespace {

bool is_valid_peer(int peer, const Communicator& communicator, bool receives) {
  return (peer >= 0 && peer < communicator.peer_count()) || peer == MPI_PROC_NULL ||
         (receives && peer == MPI_ANY_SOURCE);
}

bool is_valid_tag(int tag, bool receives) {
  return (tag >= 0 && tag <= library_behaviour().largest_tag) || (receives && tag == MPI_ANY_TAG);
}

}  // namespace

Message::Message(const char* function, Lent lent, bool receives, const void* buffer, std::int64_t count,
                 MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
  communicator = find_own_communicator(comm);
  if (!communicator || communicator->my_rank() < 0) {
    error = fail(MPI_COMM_NULL, MPI_ERR_COMM, function, "%s",
                 communicator ? "the running rank is not in this communicator" : "the handle is not a communicator");
    return;
  }
  datatype = committed_datatype(type);
  if (!datatype) {
    error = fail(comm, MPI_ERR_TYPE, function, "%s", describe_unusable(type).c_str());
  } else if (count < 0) {
    error = fail(comm, MPI_ERR_COUNT, function, "negative count %lld", static_cast<long long>(count));
  } else if (!is_valid_tag(tag, receives) &&
             (library_behaviour().checks_tags_first || is_valid_peer(peer, *communicator, receives))) {
    error = fail(comm, MPI_ERR_TAG, function, "invalid tag %d; valid: 0 to %d%s", tag, library_behaviour().largest_tag,
                 receives ? " and MPI_ANY_TAG" : "");
  } else if (!is_valid_peer(peer, *communicator, receives)) {
    error = fail(comm, MPI_ERR_RANK, function, "invalid rank %d; valid: 0 to %d and MPI_PROC_NULL%s", peer,
                 communicator->peer_count() - 1, receives ? " and MPI_ANY_SOURCE" : "");
  } else if (const char* const fault = buffer_fault(buffer, count, *datatype)) {
    error = fail(comm, MPI_ERR_BUFFER, function, "the buffer %s", fault);
  } else if (!inside_rank() && peer != MPI_PROC_NULL) {
    error =
        fail(comm, MPI_ERR_UNSUPPORTED_OPERATION, function, "messages are only possible between ranks of a simulation");
  } else if (inside_rank() && refuse_on_stack(function, lent, buffer, *datatype, count)) {
    error = kErrorStopped;
  }
  envelope = {peer, tag, communicator->context};
  if (observers && error == MPI_SUCCESS && inside_rank() && !running_fiber().outer_call) {
    notify(&Observer::call_concerns, running_fiber(), CallSubject{comm, peer, tag, count * datatype->size});
  }
}

bool refuse_on_stack(const char* function, Lent lent, const void* buffer, const Datatype& type, std::int64_t count) {
  if (buffer && !has_library_variables && (lent == Lent::kDuringCall || !on_c_stack(buffer))) return false;
  const Span span = span_of(count, type.handle);
  const Memory memory = memory_of(buffer, span);
  if (memory == Memory::kHeap || (memory == Memory::kStack && lent == Lent::kDuringCall)) return false;
  return refuse_memory(function, "the buffer", buffer, span);
}

SafeBuffer::SafeBuffer(void* buffer, const Datatype& type, std::int64_t count)
    : buffer_(permanent(buffer)), span_(span_of(count, type.handle)) {
  if (memory_of(buffer, span_) != Memory::kStack) return;
  copy_ = static_cast<char*>(std::malloc(span_.length));
  std::memcpy(copy_, shifted(buffer_, span_.begin), span_.length);
}

SafeBuffer::~SafeBuffer() { std::free(copy_); }

void SafeBuffer::copy_back() const {
  if (copy_) std::memcpy(shifted(buffer_, span_.begin), copy_, span_.length);
}

int raise_on(MPI_Comm comm, int error) {
  return error == MPI_SUCCESS || error == kErrorStopped ? error : raise_error(comm, error);
}

namespace {

Steps<RequestId> post_after(double overhead, Message m, SendMode mode, const void* buffer, std::int64_t count,
                            const char* function) {
  const bool going = co_await sleeping(overhead, function, Spent::kSendOverhead);
  if (!going) co_return kNone;
  co_return co_await post_send_in_call(me(), *m.communicator, m.envelope, mode, buffer, count, *m.datatype, function);
}

}  // namespace

Steps<RequestId> start_send(const Message& m, SendMode mode, bool nonblocking, const void* buffer, std::int64_t count,
                            const char* function) {
  mode = posted_mode(mode);
  const bool takes_time = m.envelope.peer != MPI_PROC_NULL;
  const double overhead = takes_time ? send_overhead(m.datatype->size * count, nonblocking, mode) : 0.0;
  if (overhead > 0.0) return post_after(overhead, m, mode, buffer, count, function);
  return post_send_in_call(me(), *m.communicator, m.envelope, mode, buffer, count, *m.datatype, function);
}

Steps<RequestId> start_receive(const Message& m, void* buffer, std::int64_t count, const char* function) {
  return post_receive_in_call(me(), *m.communicator, m.envelope, buffer, count, *m.datatype, function);
}

}  // namespace pysmpi
