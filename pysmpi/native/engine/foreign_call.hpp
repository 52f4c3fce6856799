// A call of compiled code by ctypes or cffi, which can be left in the middle. Compiled code often ignores the error
// codes of MPI: in a rank that is being stopped it would go on, perhaps without end.
#pragma once

#include <csetjmp>

struct _frame;

namespace pysmpi {

class Fiber;

struct ForeignCall {
  std::jmp_buf back;
  _frame* caller;      // Python function that has called the compiled code
  ForeignCall* outer;  // call in progress in the same thread of the rank, from a function of Python that it has called
};

// Leave the innermost foreign call of a rank that is being stopped: its frames are abandoned, as those of a process
// that is killed. Returns if no such call is in progress, or if the compiled code has called a function of Python
// that is still running: there, an exception is raised.
void leave_foreign_call(const Fiber& fiber);

}  // namespace pysmpi
