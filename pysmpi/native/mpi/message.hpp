// Argument checks and buffers of the point-to-point functions.
#pragma once

#include <cstdint>

#include "base/options.hpp"
#include "datatypes/copy.hpp"
#include "datatypes/layout.hpp"
#include "engine/call.hpp"
#include "engine/steps.hpp"
#include "matching/point_to_point.hpp"
#include "mpi/mpi.h"
#include "objects/errors.hpp"

namespace pysmpi {

// The time for which a function refers to its buffer.
enum class Lent : std::uint8_t { kDuringCall, kUntilComplete };

// Refuses (engine/refusal.hpp) elements on the C stack to which a nonblocking call would refer after its return, and
// elements of which only some are on the stack, for which SafeBuffer has no copy. Returns true when the rank is being
// stopped.
bool refuse_on_stack(const char* function, Lent lent, const void* buffer, const Datatype& type, std::int64_t count);

// The checked arguments that all point-to-point functions have in common.
struct Message {
  const Communicator* communicator = nullptr;
  const Datatype* datatype = nullptr;
  Envelope envelope{};
  int error = MPI_SUCCESS;

  // Checks the arguments. The first invalid one produces an error code in `error`.
  Message(const char* function, Lent lent, bool receives, const void* buffer, std::int64_t count, MPI_Datatype type,
          int peer, int tag, MPI_Comm comm);
};

// A buffer that other ranks cannot overwrite while this rank is suspended. This is the program's buffer itself, at its
// permanent address (engine/library_variables.hpp), or a copy on the heap if the program's buffer lies on the C stack,
// where each greenlet puts its own data when it runs.
class SafeBuffer {
 public:
  SafeBuffer(void* buffer, const Datatype& type, std::int64_t count);
  ~SafeBuffer();
  SafeBuffer(const SafeBuffer&) = delete;
  SafeBuffer& operator=(const SafeBuffer&) = delete;

  void* get() const { return copy_ ? shifted(copy_, -span_.begin) : buffer_; }
  void copy_back() const;

 private:
  void* buffer_;
  Span span_;
  char* copy_ = nullptr;
};

// Passes an error code to the communicator's handler, unless the code is MPI_SUCCESS or the rank is being stopped.
int raise_on(MPI_Comm comm, int error);

// Returns the running rank, or 0, the only rank, outside a simulation.
inline RankId me() { return inside_rank() ? simulation().running : 0; }

// Returns the mode in which a send is posted: an option can make standard sends synchronous.
inline SendMode posted_mode(SendMode mode) {
  const bool standard = mode == SendMode::kStandard || mode == SendMode::kExchange;
  return standard && !options().buffers_sends ? SendMode::kSynchronous : mode;
}

// Checks that a message of a buffered send fits into the buffer that the program has attached to the communicator, or
// else to a session or the rank. Returns an error code.
int check_attached_room(const char* function, MPI_Comm comm, std::int64_t bytes);

// Spends the send's overhead in simulated time, then posts the send. Returns kNone if the rank is being stopped.
Steps<RequestId> start_send(const Message& m, SendMode mode, bool nonblocking, const void* buffer, std::int64_t count,
                            const char* function);
Steps<RequestId> start_receive(const Message& m, void* buffer, std::int64_t count, const char* function);

}  // namespace pysmpi
