/* Sort integers: counts by value, an exchange of all with all, and a check that neighbours are in order (as NAS IS). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

int main(int argc, char** argv) {
  int rank, size, total = 1 << 14, largest = 1 << 16;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int mine = total / size, first = rank * mine;
  int *keys = malloc(mine * sizeof(int)), *counts = calloc(4 * size, sizeof(int));
  int *theirs = counts + size, *from = counts + 2 * size, *to = counts + 3 * size;
  unsigned long sum = 0, all;
  for (int i = 0; i < mine; i++) {
    unsigned long x = (first + i + 1) * 6364136223846793005UL + 1442695040888963407UL;
    keys[i] = (x >> 33) % largest;
    sum += keys[i];
  }
  qsort(keys, mine, sizeof(int), compare);
  for (int i = 0; i < mine; i++) counts[(long)keys[i] * size / largest]++;
  MPI_Alltoall(counts, 1, MPI_INT, theirs, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 1; i < size; i++) from[i] = from[i - 1] + counts[i - 1], to[i] = to[i - 1] + theirs[i - 1];
  int received = to[size - 1] + theirs[size - 1];
  int* sorted = malloc((received + 1) * sizeof(int));
  MPI_Alltoallv(keys, counts, from, MPI_INT, sorted, theirs, to, MPI_INT, MPI_COMM_WORLD);
  qsort(sorted, received, sizeof(int), compare);
  int edges[2] = {received ? sorted[0] : -1, received ? sorted[received - 1] : -1}, before = -1, wrong = 0, errors, n;
  MPI_Exscan(&edges[1], &before, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank > 0 && received && before > edges[0]) wrong = 1;
  unsigned long after = 0;
  for (int i = 0; i < received; i++) after += sorted[i];
  MPI_Reduce(&wrong, &errors, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&received, &n, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&after, &all, 1, MPI_UNSIGNED_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  unsigned long given = 0;
  MPI_Reduce(&sum, &given, 1, MPI_UNSIGNED_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("IS %s %d %lu\n", errors || all != given ? "wrong" : "right", n, all);
  free(keys);
  free(counts);
  free(sorted);
  MPI_Finalize();
  return 0;
}
