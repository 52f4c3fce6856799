// Records of MPI functions for time-independent traces (base/recorder.hpp). Without a recorder the functions do
// nothing; callers check for one to save the call.
#pragma once

#include "base/recorder.hpp"
#include "mpi/message.hpp"

namespace pysmpi {

// Records a message of the running rank; `action` is "send", "isend", "recv" or "irecv".
void record_message(const char* action, const Message& m, std::int64_t count, SendMode mode = SendMode::kStandard);
void record_message(const char* action, const Communicator& communicator, Envelope envelope, std::int64_t bytes);

// Associates the last recorded message with a request, so that a later wait can refer to it.
void record_request(RequestId id, const Communicator& communicator, Envelope envelope, bool receives);

// Record that the running rank waits for, or tests, the request.
void record_wait(RequestId id);
void record_test(RequestId id);

// Records a wait for all these requests, as one action if the rank has no other open requests.
void record_waitall(int count, const MPI_Request* handles);

}  // namespace pysmpi
