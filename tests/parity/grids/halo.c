/* Exchanges with the neighbours in a grid that MPI_Dims_create chooses: DIMENSIONS BYTES STEPS. Each rank prints its
   elapsed simulated seconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int dimensions = atoi(argv[1]), bytes = atoi(argv[2]), steps = atoi(argv[3]);
  int ranks, rank, extents[6] = {0}, periodic[6];
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, dimensions, extents);
  for (int i = 0; i < dimensions; ++i) periodic[i] = 1;
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, extents, periodic, 0, &grid);
  MPI_Comm_rank(grid, &rank);
  char *sent = calloc(bytes, 1), *received = calloc(bytes, 1);
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < dimensions; ++i) {
      int before, after;
      MPI_Cart_shift(grid, i, 1, &before, &after);
      MPI_Sendrecv(sent, bytes, MPI_CHAR, after, 7, received, bytes, MPI_CHAR, before, 7, grid, MPI_STATUS_IGNORE);
      MPI_Sendrecv(sent, bytes, MPI_CHAR, before, 8, received, bytes, MPI_CHAR, after, 8, grid, MPI_STATUS_IGNORE);
    }
  }
  printf("R %d %.12g\n", rank, MPI_Wtime() - begin);
  MPI_Finalize();
  return 0;
}
