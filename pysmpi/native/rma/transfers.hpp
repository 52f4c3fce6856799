// Reads, writes and updates of a member's memory by the running rank. rma/window.hpp describes the costs. The functions
// return a transfer's fault; its error is kErrorStopped if the rank is being stopped.
#pragma once

#include <cstdint>

#include "datatypes/reduction.hpp"
#include "rma/window.hpp"

namespace pysmpi {

// Elements of a datatype in memory.
struct Elements {
  void* buffer = nullptr;
  std::int64_t count = 0;
  const Datatype* type = nullptr;
  std::int64_t bytes() const { return type->size * count; }
};

// An access whose arguments have been checked: the target is a member, its elements lie in the window, and the sender
// has no more bytes than the receiver.
struct WindowAccess {
  Window& window;
  std::int32_t target;
  Elements there;  // elements in the target's memory
  const char* call;
};

// Kinds of puts and accumulates: SMPI adds the send to the list of the rank that starts it (kYes), unless the program
// gets a request or the call also fetches the old value (kNo).
enum class Listed : std::uint8_t { kNo, kYes };

// Start a transfer, which stays in the window's lists until a flush or similar call waits for it. MPI_Rget passes
// `handed_out`, into which get() stores the request for the program, or kNone if the transfer is already complete.
// Other calls pass null.
Fault put(const WindowAccess& access, const Elements& from, Listed listed);
Fault get(const WindowAccess& access, const Elements& to, RequestId* handed_out);

// Starts an update of the target's memory: combines the elements of `from` with the elements there, and stores the
// results there.
Fault accumulate(const WindowAccess& access, const Elements& from, const Reduction& operation, Listed listed);

// Starts an update as accumulate does, and stores the previous contents of the target's memory in `result`.
Fault get_accumulate(const WindowAccess& access, const Elements& from, const Elements& result,
                     const Reduction& operation);

// Compares and swaps one element: stores the target's element in `result` and, if it equals `compare`, replaces it by
// `from`.
Fault compare_and_swap(const WindowAccess& access, const void* from, const void* compare, void* result);

// Returns whether the operation is defined for the target's datatype, which may be derived if all its items have one
// basic type. Operations of the program are never allowed.
bool is_accumulable(const Reduction& operation, const Datatype& type);

}  // namespace pysmpi
