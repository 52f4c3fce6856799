// What the point-to-point functions share.
#pragma once

#include <cstdint>

#include "base/options.hpp"
#include "datatypes/copy.hpp"
#include "engine/call.hpp"
#include "matching/point_to_point.hpp"
#include "mpi/mpi.h"
#include "objects/errors.hpp"

namespace pysmpi {

// The arguments that all point-to-point functions share, checked.
struct Message {
  const Communicator* communicator = nullptr;
  const Datatype* datatype = nullptr;
  Envelope envelope{};
  int error = MPI_SUCCESS;

  // The first argument that is wrong has its error code made.
  Message(const char* function, bool receives, std::int64_t count, MPI_Datatype type, int peer, int tag, MPI_Comm comm);
};

// A buffer that other ranks cannot overwrite while this one is suspended: itself, or a copy on the heap when it lies on
// the C stack, whose slices greenlets swap.
class SafeBuffer {
 public:
  SafeBuffer(void* buffer, const Datatype& type, std::int64_t count);
  ~SafeBuffer();
  SafeBuffer(const SafeBuffer&) = delete;
  SafeBuffer& operator=(const SafeBuffer&) = delete;

  void* get() const { return copy_ ? copy_ - span_.begin : buffer_; }
  void copy_back() const;

 private:
  void* buffer_;
  Span span_;
  char* copy_ = nullptr;
};

// Hands the error code of a wait to the communicator's handler, unless it is none or the rank is being stopped.
int raise_on(MPI_Comm comm, int error);

// The running rank; the only one of the world outside a simulation.
inline RankId me() { return inside_rank() ? simulation().running : 0; }

// The mode in which a send of this mode is posted: standard ones may be made to wait for their receives.
inline SendMode posted_mode(SendMode mode) {
  return mode == SendMode::kStandard && !options().buffers_sends ? SendMode::kSynchronous : mode;
}

// The send's overhead passes, then it is posted. False when the rank is being stopped.
bool start_send(const Message& m, SendMode mode, bool nonblocking, const void* buffer, std::int64_t count,
                const char* function, RequestId& id);

}  // namespace pysmpi
