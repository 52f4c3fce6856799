/* Computation and memory by the functions and macros of SMPI's header. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, ran = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double before = MPI_Wtime();
  SMPI_SAMPLE_DELAY(0.25) { ran += 1000; }
  double delayed = MPI_Wtime();
  SMPI_SAMPLE_FLOPS(2e9) { ran += 1000; }
  double computed = MPI_Wtime();
  smpi_execute_benched(0.125);
  smpi_execute_flops_benched(5e8);
  double benched = MPI_Wtime();
  SMPI_SAMPLE_GLOBAL(int i = 0, i < 100, i++, 5, 0.0) { ran++; }
  MPI_Barrier(MPI_COMM_WORLD);
  SMPI_SAMPLE_LOCAL(int i = 0, i < 50, i++, 3, 0.0) { ran += 10; }
  char* shared = SMPI_SHARED_MALLOC((size_t)1 << 33);
  shared[0] = rank;
  size_t blocks[] = {4096, 1 << 30};
  char* partial = SMPI_PARTIAL_SHARED_MALLOC((size_t)1 << 30, blocks, 1);
  partial[0] = rank;
  partial[(1 << 30) - 1] = 5;
  MPI_Barrier(MPI_COMM_WORLD);
  printf("%d ran %d delay %.4f flops %.4f benched %.4f own %d\n", rank, ran, delayed - before, computed - delayed,
         benched - computed, partial[0]);
  SMPI_SHARED_FREE(shared);
  SMPI_SHARED_FREE(partial);
  MPI_Finalize();
  return 0;
}
