/* A discrete Fourier transform in two dimensions, transposed by datatypes in an all-to-all exchange (as NAS FT). */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void transform(double complex* x, int m) {
  if (m == 1) return;
  double complex even[m / 2], odd[m / 2]; /* on the rank's stack */
  for (int k = 0; k < m / 2; k++) even[k] = x[2 * k], odd[k] = x[2 * k + 1];
  transform(even, m / 2);
  transform(odd, m / 2);
  for (int k = 0; k < m / 2; k++) {
    double complex term = cexp(-6.283185307179586 * k / m * I) * odd[k];
    x[k] = even[k] + term;
    x[k + m / 2] = even[k] - term;
  }
}

static double energy_of(const double complex* x, long count) {
  double energy = 0;
  for (long i = 0; i < count; i++) energy += creal(x[i]) * creal(x[i]) + cimag(x[i]) * cimag(x[i]);
  return energy;
}

int main(int argc, char** argv) {
  int rank, size, n = 256;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int mine = n / size;
  double complex *a = malloc(mine * n * sizeof *a), *b = malloc(mine * n * sizeof *b);
  for (int j = 0; j < mine; j++)
    for (int i = 0; i < n; i++) a[j * n + i] = sin(0.1 * (i + 1)) + cos(0.2 * (rank * mine + j + 1)) * I;
  double energy[2] = {energy_of(a, mine * n)}, all[2];
  for (int j = 0; j < mine; j++) transform(a + j * n, n);
  /* Columns are sent, and received as parts of rows. Extents are such that rank p's begins at element p * mine. */
  MPI_Datatype vector, column, part;
  MPI_Type_vector(mine, 1, n, MPI_C_DOUBLE_COMPLEX, &vector);
  MPI_Type_create_resized(vector, 0, sizeof *a, &column);
  MPI_Type_commit(&column);
  MPI_Type_free(&vector);
  MPI_Type_vector(mine, mine, n, MPI_C_DOUBLE_COMPLEX, &vector);
  MPI_Type_create_resized(vector, 0, mine * sizeof *a, &part);
  MPI_Type_commit(&part);
  MPI_Type_free(&vector);
  MPI_Alltoall(a, mine, column, b, 1, part, MPI_COMM_WORLD);
  MPI_Type_free(&column);
  MPI_Type_free(&part);
  for (int j = 0; j < mine; j++) transform(b + j * n, n);
  energy[1] = energy_of(b, mine * n) / ((double)n * n);
  MPI_Reduce(energy, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  /* Parseval's theorem: the energy stays the same. */
  if (rank == 0) printf("FT %s %.6f\n", fabs(all[0] - all[1]) < 1e-9 * all[0] ? "right" : "wrong", all[0]);
  free(a);
  free(b);
  MPI_Finalize();
  return 0;
}
