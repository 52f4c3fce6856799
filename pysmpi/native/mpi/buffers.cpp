// Buffers of buffered sends. A buffered send copies its bytes to the heap when it is posted. Attached buffers are only
// remembered: a message must fit into one, but messages that are under way do not reduce its room (`--check` counts
// them). Flushing or detaching a buffer therefore never has to wait.
#include <algorithm>

#include "base/observer.hpp"
#include "communicators.hpp"
#include "datatypes.hpp"
#include "engine/refusal.hpp"
#include "matching/compound.hpp"
#include "mpi/message.hpp"
#include "mpi/requests.hpp"
#include "sessions.hpp"

using namespace pysmpi;

namespace {

constexpr std::int32_t kRank = 0;  // object for MPI_Buffer_attach, which applies to the rank

std::vector<AttachedBuffer>& attached_buffers() {
  static std::vector<AttachedBuffer> outside_ranks;
  return inside_rank() ? simulation().fibers[me()].attached : outside_ranks;
}

void note_empty() {
  if (observers && inside_rank()) notify(&Observer::attached_buffers_emptied);
}

auto find_buffer(std::int32_t object) { return std::ranges::find(attached_buffers(), object, &AttachedBuffer::object); }

int attach(const char* function, std::int32_t object, void* buffer, MPI_Count size) {
  const MPI_Comm comm = object == kRank ? MPI_COMM_NULL : object;
  if (size < 0) return fail(comm, MPI_ERR_ARG, function, "negative size %lld", size);
  if (find_buffer(object) != attached_buffers().end()) {
    return fail(comm, MPI_ERR_BUFFER, function, "a buffer is already attached");
  }
  if (inside_rank() && size > 0 && on_c_stack(buffer)) {
    refuse_stack_memory(function, "the attached buffer");
    return kErrorStopped;
  }
  attached_buffers().push_back({object, buffer, size});
  return MPI_SUCCESS;
}

template <class Size>
int detach(const char* function, std::int32_t object, void* address, Size* size) {
  const auto found = find_buffer(object);
  if (found == attached_buffers().end()) {
    return fail(object == kRank ? MPI_COMM_NULL : object, MPI_ERR_BUFFER, function, "no buffer is attached");
  }
  *static_cast<void**>(address) = found->address;
  *size = narrow<Size>(found->size);
  attached_buffers().erase(found);
  note_empty();
  return MPI_SUCCESS;
}

int flushed() {
  note_empty();
  return MPI_SUCCESS;
}

// Stores a request that is complete, because flushing a buffer never waits. Returns MPI_SUCCESS.
int flushed(MPI_Request* request) {
  note_empty();
  *request = handle_of(begin_compound(me(), *find_communicator(MPI_COMM_SELF), Role::kSend, {kAnySource, 0, 0}, 0));
  return MPI_SUCCESS;
}

}  // namespace

namespace pysmpi {

int check_attached_room(const char* function, MPI_Comm comm, std::int64_t bytes) {
  const bool has_own = find_buffer(comm) != attached_buffers().end();
  std::int64_t room = -1;
  for (const AttachedBuffer& buffer : attached_buffers()) {
    const bool applies = has_own ? buffer.object == comm : !find_communicator(buffer.object);
    if (!applies) continue;
    if (buffer.address == MPI_BUFFER_AUTOMATIC) return MPI_SUCCESS;
    room = std::max<std::int64_t>(room, buffer.size);
  }
  if (room < 0) return fail(comm, MPI_ERR_BUFFER, function, "no buffer is attached; call MPI_Buffer_attach");
  const std::int64_t needed = bytes + MPI_BSEND_OVERHEAD;
  if (needed <= room) return MPI_SUCCESS;
  return fail(comm, MPI_ERR_BUFFER, function,
              "the message needs %lld bytes, including MPI_BSEND_OVERHEAD, but the attached buffer has %lld",
              static_cast<long long>(needed), static_cast<long long>(room));
}

}  // namespace pysmpi

int MPI_Buffer_detach(void* address, int* size) { return detach("MPI_Buffer_detach", kRank, address, size); }
int MPI_Comm_detach_buffer(MPI_Comm comm, void* address, int* size) {
  if (!find_own_communicator(comm)) return invalid_communicator("MPI_Comm_detach_buffer", comm);
  return detach("MPI_Comm_detach_buffer", comm, address, size);
}
int MPI_Session_detach_buffer(MPI_Session session, void* address, int* size) {
  if (!is_session(session)) return invalid_session("MPI_Session_detach_buffer", session);
  return detach("MPI_Session_detach_buffer", session, address, size);
}

int MPI_Buffer_attach_c(void* buffer, MPI_Count size) { return attach("MPI_Buffer_attach", kRank, buffer, size); }
int MPI_Buffer_detach_c(void* address, MPI_Count* size) { return detach("MPI_Buffer_detach", kRank, address, size); }
int MPI_Comm_attach_buffer_c(MPI_Comm comm, void* buffer, MPI_Count size) {
  if (!find_own_communicator(comm)) return invalid_communicator("MPI_Comm_attach_buffer", comm);
  return attach("MPI_Comm_attach_buffer", comm, buffer, size);
}
int MPI_Comm_detach_buffer_c(MPI_Comm comm, void* address, MPI_Count* size) {
  if (!find_own_communicator(comm)) return invalid_communicator("MPI_Comm_detach_buffer", comm);
  return detach("MPI_Comm_detach_buffer", comm, address, size);
}
int MPI_Session_attach_buffer_c(MPI_Session session, void* buffer, MPI_Count size) {
  if (!is_session(session)) return invalid_session("MPI_Session_attach_buffer", session);
  return attach("MPI_Session_attach_buffer", session, buffer, size);
}
int MPI_Session_detach_buffer_c(MPI_Session session, void* address, MPI_Count* size) {
  if (!is_session(session)) return invalid_session("MPI_Session_detach_buffer", session);
  return detach("MPI_Session_detach_buffer", session, address, size);
}

int MPI_Buffer_flush(void) { return flushed(); }
int MPI_Comm_flush_buffer(MPI_Comm comm) {
  return find_own_communicator(comm) ? flushed() : invalid_communicator("MPI_Comm_flush_buffer", comm);
}
int MPI_Session_flush_buffer(MPI_Session session) {
  return is_session(session) ? flushed() : invalid_session("MPI_Session_flush_buffer", session);
}

int MPI_Buffer_iflush(MPI_Request* request) { return flushed(request); }
int MPI_Comm_iflush_buffer(MPI_Comm comm, MPI_Request* request) {
  return find_own_communicator(comm) ? flushed(request) : invalid_communicator("MPI_Comm_iflush_buffer", comm);
}
int MPI_Session_iflush_buffer(MPI_Session session, MPI_Request* request) {
  return is_session(session) ? flushed(request) : invalid_session("MPI_Session_iflush_buffer", session);
}
