// The default implementation of MPI functions without a native definition: it calls Python.
#pragma once

#include <utility>

#include "communicators.hpp"
#include "engine/call.hpp"
#include "mpi/mpi.h"
#include "objects/errors.hpp"
#include "objects/python_functions.hpp"

namespace pysmpi {

inline constexpr MPI_Comm kNoCommunicator = 0;  // the function has no such argument

// Marks the running rank as inside an MPI function written in Python. The function's computation is not charged to the
// program. If the function calls other MPI functions, reports and error texts name this function instead of them.
class InsidePython {
 public:
  explicit InsidePython(const char* function) {
    if (!inside_rank()) return;
    Fiber& fiber = running_fiber();
    measured_ = std::exchange(fiber.measured, false);
    outer_ = std::exchange(fiber.outer_call, function);
    outer_communicator_ = std::exchange(fiber.outer_communicator, 0);
  }
  ~InsidePython() {
    if (!inside_rank()) return;
    Fiber& fiber = running_fiber();
    fiber.measured = measured_;
    fiber.outer_call = outer_;
    fiber.outer_communicator = outer_communicator_;
  }
  InsidePython(const InsidePython&) = delete;
  InsidePython& operator=(const InsidePython&) = delete;

 private:
  bool measured_ = true;
  const char* outer_ = nullptr;
  std::int32_t outer_communicator_ = 0;
};

// Calls the Python implementation of a function without charging its running time. Python is not entered while a rank
// is being stopped, nor when mpi4py calls MPI after the interpreter's end.
template <typename Function, typename... Arguments>
int call_python(PythonFunction function, const char* name, MPI_Comm communicator, Arguments... arguments) {
  if (!python_alive()) return MPI_SUCCESS;
  if (function == nullptr) {
    if (communicator == kNoCommunicator) {
      communicator = MPI_COMM_NULL;
    } else if (find_own_communicator(communicator) == nullptr) {
      return invalid_communicator(name, communicator);
    }
    return fail(communicator, MPI_ERR_UNSUPPORTED_OPERATION, name, "pysmpi does not implement this function");
  }
  look_for_single_libraries();  // they call functions of this kind when they are initialised
  const Call call(name);
  if (call.stopped()) return kErrorStopped;
  const InsidePython inside(name);
  const int code = reinterpret_cast<Function*>(function)(arguments...);
  raise_pending_exception();
  return code;
}

}  // namespace pysmpi
