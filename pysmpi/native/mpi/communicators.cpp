// What programs ask of communicators most often. Making and freeing them: pysmpi/mpi/communicator.py.
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
  if (find_communicator(comm) == nullptr) return invalid_communicator("MPI_Comm_test_inter", comm);
  *flag = 0;
  return MPI_SUCCESS;
}

int MPI_Comm_remote_size(MPI_Comm comm, int*) {
  if (find_communicator(comm) == nullptr) return invalid_communicator("MPI_Comm_remote_size", comm);
  return fail(comm, MPI_ERR_COMM, "MPI_Comm_remote_size", "not an intercommunicator");
}

int MPI_Comm_remote_group(MPI_Comm comm, MPI_Group*) {
  if (find_communicator(comm) == nullptr) return invalid_communicator("MPI_Comm_remote_group", comm);
  return fail(comm, MPI_ERR_COMM, "MPI_Comm_remote_group", "not an intercommunicator");
}

int MPI_Comm_get_parent(MPI_Comm* parent) {
  *parent = MPI_COMM_NULL;  // no rank was spawned
  return MPI_SUCCESS;
}

int MPI_Topo_test(MPI_Comm comm, int* topology) {
  if (find_communicator(comm) == nullptr) return invalid_communicator("MPI_Topo_test", comm);
  *topology = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

}  // extern "C"
