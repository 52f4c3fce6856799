/* The twin of messages.py. For smpicc.
   usage: messages PATTERN BYTES ROUNDS */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

/* Whom this rank sends to, and whom it receives from. */
static void draw(int rank, int size, int* to_one, int* from_one) {
  int *to = malloc(size * sizeof(int)), *source = malloc(size * sizeof(int));
  if (rank == 0) {
    unsigned state = 1;
    for (int i = 0; i < size; ++i) to[i] = i;
    for (int i = size - 1; i > 0; --i) {
      state = (state * 1103515245u + 12345u) & 0x7FFFFFFFu;
      const int j = (int)((state >> 8) % (unsigned)(i + 1)), kept = to[i];
      to[i] = to[j];
      to[j] = kept;
    }
    for (int i = 0; i < size; ++i) source[to[i]] = i;
  }
  MPI_Scatter(to, 1, MPI_INT, to_one, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Scatter(source, 1, MPI_INT, from_one, 1, MPI_INT, 0, MPI_COMM_WORLD);
  free(to);
  free(source);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size; /* not global: smpirun may run all ranks on one set of variables */
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* pattern = argv[1];
  const int bytes = atoi(argv[2]), rounds = atoi(argv[3]);
  const int burst = strcmp(pattern, "burst") == 0;
  char *sent = calloc(bytes, 1), *received = calloc((size_t)bytes * (burst ? size : 1), 1);
  int to = (rank + 1) % size, source = (rank + size - 1) % size;
  if (strcmp(pattern, "permutation") == 0) draw(rank, size, &to, &source);

  const struct stretch begun = begin_stretch();
  if (strcmp(pattern, "ring") == 0 || strcmp(pattern, "permutation") == 0) {
    for (int i = 0; i < rounds; ++i)
      MPI_Sendrecv(sent, bytes, MPI_BYTE, to, 0, received, bytes, MPI_BYTE, source, MPI_ANY_TAG, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
  } else if (strcmp(pattern, "pingpong") == 0 && rank < 2) {
    for (int i = 0; i < rounds; ++i) {
      if (rank == 0) MPI_Send(sent, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(received, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank == 1) MPI_Send(sent, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
  } else if (burst) {
    MPI_Request* requests = malloc(2 * (size_t)size * sizeof(MPI_Request));
    for (int i = 0; i < rounds; ++i) {
      int count = 0;
      for (int step = 1; step < size; ++step) {
        const int other = (rank + step) % size;
        MPI_Irecv(received + (size_t)other * bytes, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, &requests[count++]);
      }
      for (int step = 1; step < size; ++step)
        MPI_Isend(sent, bytes, MPI_BYTE, (rank + step) % size, 0, MPI_COMM_WORLD, &requests[count++]);
      MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    }
    free(requests);
  }
  end_stretch(begun);
  free(sent);
  free(received);
  MPI_Finalize();
  return 0;
}
