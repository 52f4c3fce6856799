/* Messages that are probed for before they are received: PATTERN BYTES. In "chain" each rank hands on what comes from the
   rank before; in "answer" odd ranks send to the rank before and hear from it. Each rank prints its simulated time. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char* buffer;
static int bytes;

static void send(int dest) { MPI_Send(buffer, bytes, MPI_CHAR, dest, 0, MPI_COMM_WORLD); }

static void hear(int source) {
  MPI_Probe(source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(buffer, bytes, MPI_CHAR, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  bytes = atoi(argv[2]);
  buffer = calloc(bytes + 1, 1);
  MPI_Wtime();
  if (strcmp(argv[1], "chain") == 0) {
    if (rank > 0) hear(rank - 1);
    if (rank < ranks - 1) send(rank + 1);
  } else if (rank % 2) {
    send(rank - 1);
    hear(rank - 1);
  } else if (rank + 1 < ranks) {
    hear(rank + 1);
    send(rank + 1);
  }
  printf("R %d %.12g\n", rank, MPI_Wtime());
  MPI_Finalize();
  return 0;
}
