// Reduction operations defined by the program. pysmpi/simulation/mpi/slots.py keeps their Python functions for mpi4py.
#include "datatypes/operation.hpp"

#include "mpi.h"
#include "objects/errors.hpp"

using namespace pysmpi;

namespace {

bool is_predefined(MPI_Op op) { return op >= MPI_MAX && op <= MPI_NO_OP; }

}  // namespace

extern "C" {

int MPI_Op_create(MPI_User_function* function, int commute, MPI_Op* op) {
  if (function == nullptr) return fail(MPI_COMM_NULL, MPI_ERR_ARG, "MPI_Op_create", "the function is null");
  *op = add_user_operation(reinterpret_cast<ReductionFunction>(function), commute != 0);
  return MPI_SUCCESS;
}

int MPI_Op_create_c(MPI_User_function_c* function, int commute, MPI_Op* op) {
  if (function == nullptr) return fail(MPI_COMM_NULL, MPI_ERR_ARG, "MPI_Op_create", "the function is null");
  *op = add_user_operation(reinterpret_cast<LargeReductionFunction>(function), commute != 0);
  return MPI_SUCCESS;
}

int MPIX_Op_create_x(MPIX_User_function_x* function, MPIX_Destructor_function* destructor, int commute, void* state,
                     MPI_Op* op) {
  if (function == nullptr) return fail(MPI_COMM_NULL, MPI_ERR_ARG, "MPIX_Op_create_x", "the function is null");
  *op = add_user_operation(function, commute != 0, state, destructor);
  return MPI_SUCCESS;
}

int MPI_Op_free(MPI_Op* op) {
  if (find_user_operation(*op) == nullptr) {
    return fail(MPI_COMM_NULL, MPI_ERR_OP, "MPI_Op_free", "0x%08x is not an operation created by MPI_Op_create", *op);
  }
  remove_user_operation(*op);
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}

int MPI_Op_commutative(MPI_Op op, int* commute) {
  const UserOperation* found = find_user_operation(op);
  if (found == nullptr && !is_predefined(op)) {
    return fail(MPI_COMM_NULL, MPI_ERR_OP, "MPI_Op_commutative", "no operation has the handle 0x%08x", op);
  }
  *commute = found != nullptr ? found->commutative : op != MPI_REPLACE && op != MPI_NO_OP;
  return MPI_SUCCESS;
}

}  // extern "C"
