/* Two grids in three dimensions on a Cartesian communicator: smoothing, restriction, halos by datatypes (as NAS MG). */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int dims[3], coords[3];
static MPI_Comm grid;
#define AT(u, m, i, j, k) u[((long)(i) * ((m)[1] + 2) + (j)) * ((m)[2] + 2) + (k)]

static void exchange(double* u, const int* m) {
  for (int d = 0; d < 3; d++) {
    int sizes[3] = {m[0] + 2, m[1] + 2, m[2] + 2}, part[3] = {m[0] + 2, m[1] + 2, m[2] + 2}, begin[4][3] = {{0}}, low, high;
    MPI_Datatype face[4];
    part[d] = 1;
    int places[4] = {0, 1, m[d], m[d] + 1};
    for (int f = 0; f < 4; f++) {
      begin[f][d] = places[f];
      MPI_Type_create_subarray(3, sizes, part, begin[f], MPI_ORDER_C, MPI_DOUBLE, &face[f]);
      MPI_Type_commit(&face[f]);
    }
    MPI_Cart_shift(grid, d, 1, &low, &high);
    MPI_Sendrecv(u, 1, face[2], high, 0, u, 1, face[0], low, 0, grid, MPI_STATUS_IGNORE);
    MPI_Sendrecv(u, 1, face[1], low, 1, u, 1, face[3], high, 1, grid, MPI_STATUS_IGNORE);
    for (int f = 0; f < 4; f++) MPI_Type_free(&face[f]);
  }
}

static void smooth(double** u, double** v, const int* m, int steps) {
  while (steps--) {
    exchange(*u, m);
    for (int i = 1; i <= m[0]; i++)
      for (int j = 1; j <= m[1]; j++)
        for (int k = 1; k <= m[2]; k++)
          AT((*v), m, i, j, k) = (AT((*u), m, i - 1, j, k) + AT((*u), m, i + 1, j, k) + AT((*u), m, i, j - 1, k) +
                                  AT((*u), m, i, j + 1, k) + AT((*u), m, i, j, k - 1) + AT((*u), m, i, j, k + 1)) / 6;
    double* kept = *u;
    *u = *v;
    *v = kept;
  }
}

int main(int argc, char** argv) {
  int rank, size, periods[3] = {1, 1, 1}, m[3], h[3];
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 3, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_coords(grid, rank, 3, coords);
  for (int d = 0; d < 3; d++) m[d] = 32 / dims[d], h[d] = m[d] / 2;
  long cells = (m[0] + 2L) * (m[1] + 2) * (m[2] + 2);
  double *u = calloc(cells, sizeof(double)), *v = calloc(cells, sizeof(double)), *c = calloc(cells, sizeof(double)),
         *e = calloc(cells, sizeof(double));
  for (int i = 1; i <= m[0]; i++)
    for (int j = 1; j <= m[1]; j++)
      for (int k = 1; k <= m[2]; k++)
        AT(u, m, i, j, k) = sin(0.3 * (coords[0] * m[0] + i)) * cos(0.7 * (coords[1] * m[1] + j)) + 0.1 * (coords[2] * m[2] + k);
  smooth(&u, &v, m, 3);
  for (int i = 1; i <= h[0]; i++)
    for (int j = 1; j <= h[1]; j++)
      for (int k = 1; k <= h[2]; k++) AT(c, h, i, j, k) = AT(u, m, 2 * i, 2 * j, 2 * k);
  smooth(&c, &e, h, 2);
  double all[2] = {0, 0}, mine[2] = {0, 0};
  for (int i = 1; i <= m[0]; i++)
    for (int j = 1; j <= m[1]; j++)
      for (int k = 1; k <= m[2]; k++) mine[0] += AT(u, m, i, j, k) * AT(u, m, i, j, k);
  for (int i = 1; i <= h[0]; i++)
    for (int j = 1; j <= h[1]; j++)
      for (int k = 1; k <= h[2]; k++) mine[1] += AT(c, h, i, j, k) * AT(c, h, i, j, k);
  MPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, 0, grid);
  if (rank == 0) printf("MG %.8f %.8f\n", all[0], all[1]);
  MPI_Finalize();
  return 0;
}
