// Who is told which objects programs make and free: pysmpi/mpi/leftovers.py, under --check. Costs a look at a pointer
// otherwise.
#pragma once

#include <cstdint>

namespace pysmpi {

enum class ObjectKind : std::int32_t { kDatatype, kOperation };

extern void (*object_observer)(std::int32_t kind, std::int64_t handle, std::int32_t made);  // null: nobody

inline void tell_made(ObjectKind kind, std::int64_t handle) {
  if (object_observer) object_observer(static_cast<std::int32_t>(kind), handle, 1);
}
inline void tell_freed(ObjectKind kind, std::int64_t handle) {
  if (object_observer) object_observer(static_cast<std::int32_t>(kind), handle, 0);
}

}  // namespace pysmpi
