// Notification about objects that programs create and free, used by --check (pysmpi/mpi/leftovers.py). Without an
// observer it costs one test of a pointer.
#pragma once

#include <cstdint>

namespace pysmpi {

enum class ObjectKind : std::int32_t { kDatatype, kOperation };

extern void (*object_observer)(std::int32_t kind, std::int64_t handle, std::int32_t made);  // null: no observer

inline void tell_made(ObjectKind kind, std::int64_t handle) {
  if (object_observer) object_observer(static_cast<std::int32_t>(kind), handle, 1);
}
inline void tell_freed(ObjectKind kind, std::int64_t handle) {
  if (object_observer) object_observer(static_cast<std::int32_t>(kind), handle, 0);
}

}  // namespace pysmpi
