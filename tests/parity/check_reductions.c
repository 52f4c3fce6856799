/* Are the results of a reduction right? check_reductions reduce|allreduce COUNT ROOT [in-order]
 *
 * Sums of whole numbers; with a fourth argument the composition of affine maps, which does not commute. Says which
 * ranks have wrong results, and which have written to a receive buffer that is not theirs to use. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PRIME = 1000003 };

static void compose(void *in, void *inout, int *count, MPI_Datatype *type) {
  long *a = in, *b = inout;
  (void)type;
  for (int i = 0; i < *count; ++i, a += 2, b += 2) {
    b[1] = (a[0] * b[1] + a[1]) % PRIME;
    b[0] = a[0] * b[0] % PRIME;
  }
}

static long given(int rank, int i) { return 3 + rank + i % 7; }

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int all = strcmp(argv[1], "allreduce") == 0, count = atoi(argv[2]), root = atoi(argv[3]), in_order = argc > 4;
  const int width = in_order ? 2 : 1, size = count * width;
  MPI_Op op = MPI_SUM;
  MPI_Datatype type = MPI_LONG;
  if (in_order) {
    MPI_Op_create(compose, 0, &op);
    MPI_Type_contiguous(2, MPI_LONG, &type);
    MPI_Type_commit(&type);
  }
  long *sent = malloc(8 * (size + 1)), *received = malloc(8 * (size + 1)), *expected = malloc(8 * (size + 1));
  for (int i = 0; i < size; ++i) {
    sent[i] = given(rank, i);
    received[i] = -1;
    expected[i] = given(ranks - 1, i);
  }
  for (int other = ranks - 2; other >= 0; --other) {
    long lower[2];
    for (int i = 0; i < count; ++i) {
      for (int k = 0; k < width; ++k) lower[k] = given(other, i * width + k);
      int one = 1;
      if (in_order) {
        compose(lower, expected + i * width, &one, &type);
      } else {
        expected[i] += lower[0];
      }
    }
  }
  if (all) {
    MPI_Allreduce(sent, received, count, type, op, MPI_COMM_WORLD);
  } else {
    MPI_Reduce(sent, received, count, type, op, root, MPI_COMM_WORLD);
  }
  int wrong = 0, written = 0;
  for (int i = 0; i < size; ++i) {
    wrong += (all || rank == root) && received[i] != expected[i];
    written += !all && rank != root && received[i] != -1;
  }
  if (wrong) printf("rank %d: %d of %d wrong\n", rank, wrong, size);
  if (written) printf("rank %d: receive buffer written\n", rank);
  MPI_Finalize();
  return 0;
}
