// MPI_Request handles over the engine's requests.
#pragma once

#include <cstdint>

#include "base/checker.hpp"
#include "matching/point_to_point.hpp"
#include "mpi/mpi.h"

namespace pysmpi {

inline constexpr std::uint32_t kRequestHandle = 0xac000000U, kHandleKind = 0xfc000000U, kHandleIndex = 0x03ffffffU;

// For the program.
inline MPI_Request handle_of(RequestId id) {
  if (checker) checker->handed_out(id);
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

}  // namespace pysmpi
