// The buffers of buffered sends.
#include "mpi/message.hpp"
#include "mpi/requests.hpp"

using namespace pysmpi;

// Buffered sends copy their bytes when they are posted, wherever the program's buffer is: attached ones are remembered
// so that they can be detached, and sends have no other limit than memory, as in SMPI.
namespace {
AttachedBuffer& attached_buffer() {
  static AttachedBuffer outside_ranks;
  return inside_rank() ? simulation().fibers[me()].attached : outside_ranks;
}
}  // namespace

int MPI_Buffer_attach(void* buffer, int size) {
  if (size < 0) return fail(MPI_COMM_NULL, MPI_ERR_ARG, "MPI_Buffer_attach", "negative size %d", size);
  AttachedBuffer& mine = attached_buffer();
  if (mine.address) return fail(MPI_COMM_NULL, MPI_ERR_BUFFER, "MPI_Buffer_attach", "a buffer is attached already");
  mine = {buffer, size};
  return MPI_SUCCESS;
}

int MPI_Buffer_detach(void* buffer_addr, int* size) {
  AttachedBuffer& mine = attached_buffer();
  if (!mine.address) return fail(MPI_COMM_NULL, MPI_ERR_BUFFER, "MPI_Buffer_detach", "no buffer is attached");
  *static_cast<void**>(buffer_addr) = mine.address;
  *size = mine.size;
  mine = {};
  return MPI_SUCCESS;
}
