// Reading, writing and changing a member's memory. Costs: rma/window.hpp. All of it is by the running rank; the
// functions return what a message has met, an error kErrorStopped when the rank is being stopped.
#pragma once

#include <cstdint>

#include "datatypes/reduction.hpp"
#include "rma/window.hpp"

namespace pysmpi {

// Elements in memory.
struct Elements {
  void* buffer = nullptr;
  std::int64_t count = 0;
  const Datatype* type = nullptr;
  std::int64_t bytes() const { return type->size * count; }
};

// The arguments are checked: the target is a member, and its elements are in the window. No more bytes go than come.
struct Access {
  Window& window;
  std::int32_t target;
  Elements there;  // in the target's memory
  const char* call;
};

// Each begins, and stands in the window's lists until a flush or the like has waited for it; with `handed_out`, the
// program gets the request, which is kNone when all is done.
Fault put(const Access& access, const Elements& from);
Fault get(const Access& access, const Elements& to, RequestId* handed_out);

// there = from op there.
Fault accumulate(const Access& access, const Elements& from, const Reduction& operation);

// The same, with what was there before into `result`.
Fault get_accumulate(const Access& access, const Elements& from, const Elements& result, const Reduction& operation);

// One element: what is there into `result`, and if that is `compare`, `from` there.
Fault compare_and_swap(const Access& access, const void* from, const void* compare, void* result);

// The operation is defined for the target's datatype, which may be derived if all its items are of one basic type. A
// program's own operations never are.
bool is_accumulable(const Reduction& operation, const Datatype& type);

}  // namespace pysmpi
