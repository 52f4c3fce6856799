/* The twin of collective.py: one collective, called several times. For smpicc.
   usage: collective OPERATION BYTES CALLS */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* operation = argv[1];
  const int bytes = atoi(argv[2]), calls = atoi(argv[3]);
  const size_t room = (size_t)bytes * (strcmp(operation, "alltoall") == 0 ? size : 1);
  void *sent = calloc(room, 1), *received = calloc(room, 1);

  const struct stretch begun = begin_stretch();
  for (int i = 0; i < calls; ++i) {
    if (strcmp(operation, "allreduce") == 0)
      MPI_Allreduce(sent, received, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else if (strcmp(operation, "alltoall") == 0)
      MPI_Alltoall(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, MPI_COMM_WORLD);
    else
      MPI_Bcast(sent, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  }
  end_stretch(begun);
  free(sent);
  free(received);
  MPI_Finalize();
  return 0;
}
