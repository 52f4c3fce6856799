/* One collective that ranks enter one after the other: OPERATION ROOT MICROSECONDS BYTES. Each rank prints its elapsed
   simulated seconds, and whether its data are right. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, right = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* operation = argv[1];
  const int root = atoi(argv[2]);
  const long step = atol(argv[3]), bytes = atol(argv[4]);
  unsigned char* buffer = malloc(bytes + 1);
  for (long i = 0; i < bytes; ++i) buffer[i] = rank == root ? i * 31 + i / 251 : 255;
  const double begin = MPI_Wtime();
  usleep(step * (rank * 7 % ranks));
  if (strcmp(operation, "barrier") == 0) MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(operation, "bcast") == 0) {
    MPI_Bcast(buffer, bytes / 8, MPI_DOUBLE, root, MPI_COMM_WORLD);
    for (long i = 0; i < bytes; ++i) right = right && buffer[i] == (unsigned char)(i * 31 + i / 251);
  }
  printf("R %d %.12g %d\n", rank, MPI_Wtime() - begin, right);
  MPI_Finalize();
  return 0;
}
