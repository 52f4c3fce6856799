// Access to MPI_Status in MPICH's layout.
#pragma once

#include <cstdint>

#include "mpi/mpi.h"

namespace pysmpi {

inline void set_status_bytes(MPI_Status& status, std::int64_t bytes, bool cancelled) {
  status.count_lo = static_cast<int>(bytes & 0xffffffff);
  status.count_hi_and_cancelled = static_cast<int>((bytes >> 32) << 1) | (cancelled ? 1 : 0);
}

inline std::int64_t status_bytes(const MPI_Status& status) {
  return (static_cast<std::int64_t>(static_cast<unsigned>(status.count_hi_and_cancelled) >> 1) << 32) |
         static_cast<unsigned>(status.count_lo);
}

inline bool status_cancelled(const MPI_Status& status) { return (status.count_hi_and_cancelled & 1) != 0; }

// Sets all fields except MPI_ERROR, which functions that return one status must not change (MPI 4.1, section 3.2.5).
inline void set_status(MPI_Status* status, int source, int tag, std::int64_t bytes, bool cancelled = false) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = source;
  status->MPI_TAG = tag;
  set_status_bytes(*status, bytes, cancelled);
}

// Sets the status of null and inactive requests (MPI 4.1, section 3.7.3).
inline void set_empty_status(MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) return;
  set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
  status->MPI_ERROR = MPI_SUCCESS;
}

}  // namespace pysmpi
