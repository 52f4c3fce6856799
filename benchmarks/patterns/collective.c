/* The twin of collective.py: one collective, called several times. For smpicc.
   usage: collective OPERATION BYTES CALLS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* operation = argv[1];
  const int bytes = atoi(argv[2]), calls = atoi(argv[3]);
  const size_t room = (size_t)bytes * (strcmp(operation, "alltoall") == 0 ? size : 1);
  void *sent = calloc(room, 1), *received = calloc(room, 1);

  MPI_Barrier(MPI_COMM_WORLD);
  const double begun = MPI_Wtime();
  const clock_t here = clock();
  for (int i = 0; i < calls; ++i) {
    if (strcmp(operation, "allreduce") == 0)
      MPI_Allreduce(sent, received, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else if (strcmp(operation, "alltoall") == 0)
      MPI_Alltoall(sent, bytes, MPI_BYTE, received, bytes, MPI_BYTE, MPI_COMM_WORLD);
    else
      MPI_Bcast(sent, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    printf("{\"simulated\": %.17g, \"seconds\": %.6f}\n", MPI_Wtime() - begun,
           (double)(clock() - here) / CLOCKS_PER_SEC);
  free(sent);
  free(received);
  MPI_Finalize();
  return 0;
}
