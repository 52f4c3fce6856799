// What MPI functions tell the recorder of time-independent traces (base/recorder.hpp). All do nothing when nobody
// records; callers look first.
#pragma once

#include "base/recorder.hpp"
#include "mpi/message.hpp"

namespace pysmpi {

// A message of the running rank: "send", "isend", "recv" or "irecv".
void record_message(const char* action, const Message& m, std::int64_t count, SendMode mode = SendMode::kStandard);
void record_message(const char* action, const Communicator& communicator, Envelope envelope, std::int64_t bytes);

// It is this request, which a wait is to name.
void record_request(RequestId id, const Communicator& communicator, Envelope envelope, bool receives);

// The running rank waits for the request, or tests it.
void record_wait(RequestId id);
void record_test(RequestId id);

// It waits for all of these: in one action if the rank has no others.
void record_waitall(int count, const MPI_Request* handles);

}  // namespace pysmpi
