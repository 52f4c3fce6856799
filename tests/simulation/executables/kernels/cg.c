/* Conjugate gradients for a Laplacian in one dimension, with exchanges of boundaries and sums over all ranks (as NAS CG). */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size, n;

static double dot(const double* a, const double* b) {
  double mine = 0, all;
  for (int i = 1; i <= n; i++) mine += a[i] * b[i];
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static void multiply(double* x, double* y) {
  MPI_Request requests[4];
  int left = rank ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  x[0] = x[n + 1] = 0;
  MPI_Irecv(&x[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&x[n + 1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(&x[1], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(&x[n], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  for (int i = 1; i <= n; i++) y[i] = 2.5 * x[i] - x[i - 1] - x[i + 1];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  n = 1024 / size;
  double x[n + 2], r[n + 2], p[n + 2], q[n + 2]; /* on the rank's stack */
  for (int i = 1; i <= n; i++) {
    x[i] = 0;
    r[i] = p[i] = sin(rank * n + i);
  }
  double rho = dot(r, r);
  int steps = 0;
  while (rho > 1e-20) {
    multiply(p, q);
    double alpha = rho / dot(p, q);
    for (int i = 1; i <= n; i++) x[i] += alpha * p[i], r[i] -= alpha * q[i];
    double before = rho;
    rho = dot(r, r);
    for (int i = 1; i <= n; i++) p[i] = r[i] + rho / before * p[i];
    steps++;
  }
  multiply(x, q);
  double worst = 0, all, norm = sqrt(dot(x, x));
  for (int i = 1; i <= n; i++) worst = fmax(worst, fabs(q[i] - sin(rank * n + i)));
  MPI_Reduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("CG %s %d %.10f\n", all < 1e-9 ? "right" : "wrong", steps, norm);
  MPI_Finalize();
  return 0;
}
