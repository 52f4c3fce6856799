// A call of compiled code by ctypes or cffi, which can be left in the middle. Compiled code often ignores the error
// codes of MPI: in a rank that is being stopped it would go on, perhaps without end.
#pragma once

#include <csetjmp>

struct _frame;

namespace pysmpi {

class Fiber;

// The exceptions of C++ that a thread handles or throws: __cxa_eh_globals of the Itanium C++ ABI.
struct ExceptionsOfThread {
  void* caught;
  unsigned int uncaught;
};
ExceptionsOfThread& exceptions_of_thread();  // those of the thread in which ranks run

struct ForeignCall {
  std::jmp_buf back;
  _frame* caller;           // Python function that has called the compiled code
  ForeignCall* earlier;     // another call in progress in the same thread of the rank, by any of its greenlets
  bool is_program = false;  // the compiled code is an executable: no Python code has called it
  int stops = 0;  // number of MPI calls that have failed in functions of Python that the compiled code has called
};

// Leave the compiled code that has called MPI in a rank that is being stopped: its frames are abandoned, as those of a
// process that is killed. Returns if the caller is a function of Python, where an exception is raised. If compiled code
// has called this function, it may ignore the exception and call the function again and again: then, the rank ends as
// if it were killed.
void leave_foreign_call(Fiber& fiber);

// Leave an executable whose rank is being stopped at the end of its MPI call, which has failed. Without this it would
// do what follows the call, because executables mostly ignore the codes of errors.
void leave_stopped_program(Fiber& fiber);

}  // namespace pysmpi
