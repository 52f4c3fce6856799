/* The twin of report.py's Stretch: from its beginning, at which all ranks meet, to its end. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

struct stretch {
  double simulated;
  clock_t here;
};

static struct stretch begin_stretch(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  const struct stretch begun = {MPI_Wtime(), clock()};
  return begun;
}

/* All ranks meet again, and one of them tells. */
static void end_stretch(struct stretch begun) {
  int rank;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    printf("{\"simulated\": %.17g, \"seconds\": %.6f}\n", MPI_Wtime() - begun.simulated,
           (double)(clock() - begun.here) / CLOCKS_PER_SEC);
}
