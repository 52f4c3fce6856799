/* Are the results of an exchange right? check_exchanges alltoall|alltoallv|reduce_scatter COUNT [some-empty]
 *
 * COUNT doubles a block; with a third argument, blocks of some ranks have none. Says which ranks have wrong results. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int empty;
static int length(int from, int to, int count) { return empty && (from + to) % 2 == 0 ? 0 : count; }
static double item(int from, int to, int i) { return 1e6 * from + 1e3 * to + i % 7; }

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, at = 0, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char *call = argv[1];
  const int count = atoi(argv[2]), reduces = strcmp(call, "reduce_scatter") == 0;
  empty = argc > 3;
  double *given = calloc((size_t)count * ranks + 1, sizeof *given);
  double *result = calloc((size_t)count * ranks + 1, sizeof *result);
  int *out = calloc(ranks, sizeof *out), *in = calloc(ranks, sizeof *in);
  int *out_begins = calloc(ranks, sizeof *out_begins), *in_begins = calloc(ranks, sizeof *in_begins);
  for (int to = 0; to < ranks; ++to) {
    out[to] = reduces ? (empty && to < ranks / 2 ? 0 : count) : length(rank, to, count);
    in[to] = length(to, rank, count);
    out_begins[to] = at;
    in_begins[to] = to * count;
    for (int i = 0; i < out[to]; ++i) given[at++] = item(rank, to, i);
  }
  if (strcmp(call, "alltoall") == 0) {
    MPI_Alltoall(given, count, MPI_DOUBLE, result, count, MPI_DOUBLE, MPI_COMM_WORLD);
  } else if (strcmp(call, "alltoallv") == 0) {
    MPI_Alltoallv(given, out, out_begins, MPI_DOUBLE, result, in, in_begins, MPI_DOUBLE, MPI_COMM_WORLD);
  } else {
    MPI_Reduce_scatter(given, result, out, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (reduces) {
    for (int i = 0; i < out[rank]; ++i) {
      double sum = 0;
      for (int from = 0; from < ranks; ++from) sum += item(from, rank, i);
      wrong += result[i] != sum;
    }
  } else {
    for (int from = 0; from < ranks; ++from) {
      for (int i = 0; i < in[from]; ++i) wrong += result[in_begins[from] + i] != item(from, rank, i);
    }
  }
  if (wrong) printf("rank %d: %d wrong\n", rank, wrong);
  MPI_Finalize();
  return wrong != 0;
}
