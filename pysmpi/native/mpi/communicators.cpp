// Frequent queries of communicators. pysmpi/simulation/mpi/communicator.py creates and frees communicators.
#include "communicators.hpp"

#include "objects/errors.hpp"

using namespace pysmpi;

namespace pysmpi {

int invalid_communicator(const char* function, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return fail(MPI_COMM_NULL, MPI_ERR_COMM, function, "the communicator is MPI_COMM_NULL");
  return fail(MPI_COMM_NULL, MPI_ERR_COMM, function, "no communicator has the handle 0x%08x; was it freed?", comm);
}

}  // namespace pysmpi

extern "C" {

int MPI_Comm_test_inter(MPI_Comm comm, int* flag) {
  const Communicator* communicator = find_own_communicator(comm);
  if (communicator == nullptr) return invalid_communicator("MPI_Comm_test_inter", comm);
  *flag = communicator->inter();
  return MPI_SUCCESS;
}

int MPI_Comm_remote_size(MPI_Comm comm, int* size) {
  const Communicator* communicator = find_own_communicator(comm);
  if (communicator == nullptr) return invalid_communicator("MPI_Comm_remote_size", comm);
  if (!communicator->inter()) {
    return fail(comm, MPI_ERR_COMM, "MPI_Comm_remote_size", "the communicator is not an intercommunicator");
  }
  *size = communicator->remote->size();
  return MPI_SUCCESS;
}

}  // extern "C"
