// Completion of requests by their handles, as MPI_Wait and MPI_Test and their relatives have in common.
#pragma once

#include "mpi/requests.hpp"

namespace pysmpi {

// Returns whether MPI_Waitany and similar functions consider the request: it is neither null nor inactive.
inline bool is_active(MPI_Request handle) {
  const RequestId id = request_of(handle);
  return id != kNone && active_request(id) != kNone;
}
bool any_active(int count, const MPI_Request* handles);

// Returns an MPI error code, after a call of the error handler, if the count is negative or a handle is invalid.
int check_handles(int count, const MPI_Request* handles, const char* call);

std::int32_t communicator_of(MPI_Request handle);

// Returns the index of the first complete request from `from` on, or -1.
int first_complete(int count, const MPI_Request* handles, int from = 0);

// Returns the index of the first detached send, or -1. A detached send is complete, because its bytes were copied when
// it was posted (smpi/send-is-detached-thresh).
int first_detached_send(int count, const MPI_Request* handles);
inline bool is_detached_send(const Request& r) { return r.is_send() && (r.flags & kDetached); }

// Tests whether a request is complete, at the cost of MPI_Test. The request must be neither null nor inactive. Returns
// false if the rank is being stopped.
bool poll_request(MPI_Request handle, const char* call, bool& complete);

void fill_status(const Request& r, MPI_Status* status);

inline MPI_Status* status_at(MPI_Status* statuses, int i) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + i;
}

// Waits for the request if that is necessary, fills the status, releases the request and sets the handle to
// MPI_REQUEST_NULL. A persistent request becomes inactive instead. Returns an MPI error code, after a call of the error
// handler if the request has failed.
int finish_one(MPI_Request* handle, MPI_Status* status, const char* call);

// Finishes several requests and stores their error codes in the statuses, as MPI_Waitall and similar functions do. The
// result is MPI_ERR_IN_STATUS if one of them failed.
struct Finisher {
  const char* call;
  bool failed = false, stopped = false;
  int first_error = MPI_SUCCESS;
  std::int32_t communicator = MPI_COMM_NULL;

  // Waits for the request if that is necessary. In a coroutine, the caller waits, and calls `finish`.
  void operator()(MPI_Request* handle, MPI_Status* status);
  void finish(MPI_Request* handle, MPI_Status* status, bool going);
  int result() const;
};

}  // namespace pysmpi
