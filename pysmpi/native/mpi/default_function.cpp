// Begin and end of every call of an MPI function that Python implements.
#include "default_function.hpp"

#include <string>
#include <utility>

#include "communicators.hpp"
#include "engine/refusal.hpp"
#include "objects/errors.hpp"

namespace pysmpi {

PythonCall::PythonCall(PythonFunction function, const char* name, MPI_Comm communicator) {
  if (!python_alive()) return;
  if (function == nullptr) {
    if (communicator == kNoCommunicator) {
      communicator = MPI_COMM_NULL;
    } else if (find_own_communicator(communicator) == nullptr) {
      error_ = invalid_communicator(name, communicator);
      return;
    }
    error_ = fail(communicator, MPI_ERR_UNSUPPORTED_OPERATION, name, "pysmpi does not implement this function");
    return;
  }
  look_for_single_libraries();  // such libraries call functions of this kind when they are initialised
  call_.emplace(name);
  if (call_->stopped()) {
    call_.reset();
    error_ = kErrorStopped;
    return;
  }
  if (!inside_rank()) return;
  Fiber& fiber = running_fiber();
  measured_ = std::exchange(fiber.measured, false);
  outer_ = std::exchange(fiber.outer_call, name);
  outer_communicator_ = std::exchange(fiber.outer_communicator, 0);
}

PythonCall::~PythonCall() {
  if (!begun() || !inside_rank()) return;
  Fiber& fiber = running_fiber();
  fiber.measured = measured_;
  fiber.outer_call = outer_;
  fiber.outer_communicator = outer_communicator_;
}

int refuse_function(const char* name) {
  if (!inside_rank()) return MPI_ERR_UNSUPPORTED_OPERATION;
  const Call call(name);
  if (!call.stopped()) refuse(name, std::string(name) + ": pysmpi does not implement this function");
  return kErrorStopped;
}

}  // namespace pysmpi
