// Conversions between MPI_Request handles and the engine's requests.
#pragma once

#include <cstdint>

#include "base/observer.hpp"
#include "matching/point_to_point.hpp"
#include "mpi/mpi.h"

namespace pysmpi {

inline constexpr std::uint32_t kRequestHandle = 0xac000000U, kHandleKind = 0xfc000000U, kHandleIndex = 0x03ffffffU;

// Returns the handle that is passed to the program.
inline MPI_Request handle_of(RequestId id) {
  if (observers) notify(&Observer::request_handed_out, id);
  return static_cast<MPI_Request>(kRequestHandle | id);
}

// Returns the request of a handle, or kNone if the handle is invalid or MPI_REQUEST_NULL.
inline RequestId request_of(MPI_Request handle) {
  const auto bits = static_cast<std::uint32_t>(handle);
  const RequestId id = bits & kHandleIndex;
  return (bits & kHandleKind) == kRequestHandle && is_request(id) ? id : kNone;
}

// Returns the request in progress: for a persistent request its current use (kNone while inactive), else the request
// itself.
inline RequestId active_request(RequestId id) {
  const Request& r = request(id);
  return r.flags & kPersistent ? r.partner : id;
}

}  // namespace pysmpi
