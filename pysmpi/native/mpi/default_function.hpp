// The default implementation of MPI functions without a native definition: it calls Python.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/call.hpp"
#include "mpi/mpi.h"
#include "objects/python_functions.hpp"

namespace pysmpi {

inline constexpr MPI_Comm kNoCommunicator = 0;  // the function has no such argument

// Call of a function that Python implements, without charging its running time. Python is not entered while a rank is
// being stopped, nor when mpi4py calls MPI after the interpreter's end. If the function calls other MPI functions,
// reports and error texts name this function instead of them.
class PythonCall {
 public:
  PythonCall(PythonFunction function, const char* name, MPI_Comm communicator);
  ~PythonCall();
  PythonCall(const PythonCall&) = delete;
  PythonCall& operator=(const PythonCall&) = delete;

  // Returns whether the Python function may be called. If not, error() is the result of the MPI function.
  bool begun() const { return call_.has_value(); }
  int error() const { return error_; }

 private:
  std::optional<Call> call_;
  int error_ = MPI_SUCCESS;
  bool measured_ = true;
  const char* outer_ = nullptr;
  std::int32_t outer_communicator_ = 0;
};

// Result of a function that only MPICH has: the simulation stops with an error that names the function, because
// compiled code may not look at error codes.
int refuse_function(const char* name);

// Every default function is an instance of this template, so it contains no more than what depends on the types.
template <typename Function, typename... Arguments>
int call_python(PythonFunction function, const char* name, MPI_Comm communicator, Arguments... arguments) {
  const PythonCall call(function, name, communicator);
  if (!call.begun()) return call.error();
  const int code = reinterpret_cast<Function*>(function)(arguments...);
  raise_pending_exception();
  return code;
}

}  // namespace pysmpi
