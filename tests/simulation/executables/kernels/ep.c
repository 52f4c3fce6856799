/* Pairs of normal random numbers, counted by their size, without messages in between (as NAS EP). */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

static unsigned long seed;

static double draw(void) {
  for (int k = 0; k < 3; k++) seed = (seed * 25214903917UL + 11) & ((1UL << 48) - 1);
  return seed / (double)(1UL << 48);
}

int main(int argc, char** argv) {
  int rank, size, pairs = 1 << 16, counts[10] = {0}, all[10];
  double sums[2] = {0, 0}, total[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = rank + 1; i <= pairs; i += size) {
    seed = i;
    double x = 2 * draw() - 1;
    double y = 2 * draw() - 1;
    double t = x * x + y * y;
    if (t > 1 || t == 0) continue;
    t = sqrt(-2 * log(t) / t);
    x *= t;
    y *= t;
    counts[(int)fmin(fmax(fabs(x), fabs(y)), 9)]++;
    sums[0] += x;
    sums[1] += y;
  }
  MPI_Reduce(counts, all, 10, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(sums, total, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("EP %.8f %.8f", total[0], total[1]);
    for (int l = 0; l < 10; l++) printf(" %d", all[l]);
    printf("\n");
  }
  MPI_Finalize();
  return 0;
}
