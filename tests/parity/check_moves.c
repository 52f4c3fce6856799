/* Are blocks where they belong? check_moves gather|scatter|allgather|allgatherv COUNT ROOT [pairs|gaps|ignored]
 *
 * pairs: senders count in pairs of doubles; gaps: between the blocks of an allgatherv, which are the ranks' own to keep;
 * ignored: ranks that are not the root give no counts for its side. Says which ranks have something wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double given(int rank, int i) { return 1000.0 * rank + i % 999; }

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char *operation = argv[1], *way = argc > 4 ? argv[4] : "";
  const int count = atoi(argv[2]), root = atoi(argv[3]) % ranks, step = count + (strcmp(way, "gaps") == 0);
  const int ignored = strcmp(way, "ignored") == 0 && rank != root, pairs = strcmp(way, "pairs") == 0;
  const int scatters = strcmp(operation, "scatter") == 0, all = strncmp(operation, "all", 3) == 0;
  MPI_Datatype type = MPI_DOUBLE;
  if (pairs) {
    MPI_Type_contiguous(2, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
  }
  const int sent = pairs ? count / 2 : count;
  double *from = malloc(8 * ((size_t)ranks * count + 1)), *to = malloc(8 * ((size_t)ranks * step + 1));
  for (int i = 0; i < ranks * count; ++i) from[i] = scatters ? given(i / count, i % count) : given(rank, i % count);
  for (int i = 0; i < ranks * step; ++i) to[i] = -1 - rank;

  int error;
  if (scatters) {
    error = MPI_Scatter(from, ignored ? 0 : sent, type, to, count, MPI_DOUBLE, root, MPI_COMM_WORLD);
  } else if (strcmp(operation, "gather") == 0) {
    error = MPI_Gather(from, sent, type, to, ignored ? 0 : count, MPI_DOUBLE, root, MPI_COMM_WORLD);
  } else if (strcmp(operation, "allgather") == 0) {
    error = MPI_Allgather(from, sent, type, to, count, MPI_DOUBLE, MPI_COMM_WORLD);
  } else {
    int *counts = malloc(sizeof(int) * ranks), *displacements = malloc(sizeof(int) * ranks);
    for (int i = 0; i < ranks; ++i) {
      counts[i] = count;
      displacements[i] = i * step;
    }
    error = MPI_Allgatherv(from, sent, type, to, counts, displacements, MPI_DOUBLE, MPI_COMM_WORLD);
    free(counts);
    free(displacements);
  }
  int wrong = error != MPI_SUCCESS;
  if (scatters) {
    for (int i = 0; i < count; ++i) wrong |= to[i] != given(rank, i);
  } else if (all || rank == root) {
    for (int i = 0; i < ranks * step; ++i) wrong |= to[i] != (i % step < count ? given(i / step, i % step) : -1 - rank);
  }
  if (error != MPI_SUCCESS) printf("rank %d: error %d\n", rank, error);
  if (wrong) printf("rank %d: wrong\n", rank);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
