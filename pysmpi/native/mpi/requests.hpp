// MPI_Request handles over the engine's requests, and waiting for them.
#pragma once

#include "base/observer.hpp"
#include "engine/call.hpp"
#include "matching/point_to_point.hpp"
#include "mpi/mpi.h"
#include "mpi/status.hpp"
#include "objects/errors.hpp"

namespace pysmpi {

inline constexpr std::uint32_t kRequestHandle = 0xac000000U, kHandleKind = 0xfc000000U, kHandleIndex = 0x03ffffffU;

// For the program.
inline MPI_Request handle_of(RequestId id) {
  tell_made(ObjectKind::kRequest, id);
  return static_cast<MPI_Request>(kRequestHandle | id);
}

// kNone when the handle names no live request (MPI_REQUEST_NULL among them).
inline RequestId request_of(MPI_Request handle) {
  const auto bits = static_cast<std::uint32_t>(handle);
  const RequestId id = bits & kHandleIndex;
  return (bits & kHandleKind) == kRequestHandle && is_request(id) ? id : kNone;
}

// The request under way behind a handle: the present use of a persistent one (kNone while it is inactive), else itself.
inline RequestId active_request(RequestId id) {
  const Request& r = request(id);
  return r.flags & kPersistent ? r.partner : id;
}

// Blocks the running rank until the request is complete. False when it is being stopped.
bool wait_for(RequestId id, const char* call);

// Ends a complete request: its receive overhead passes, its status is filled, it goes back to the pool and its handle
// to MPI_REQUEST_NULL (a persistent one becomes inactive). Returns an MPI error code, without calling any handler.
int finish_request(MPI_Request* handle, MPI_Status* status, const char* call);

// A blocking operation's own request, which has no handle: waits, fills the status, releases.
int wait_and_finish(RequestId id, MPI_Status* status, const char* call);

}  // namespace pysmpi
