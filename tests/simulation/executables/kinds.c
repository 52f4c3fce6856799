/* Programs of several kinds, by the names that are defined. */
#ifndef ALONE
#include <mpi.h>
#endif
#include <stdio.h>

#ifdef THREADED
static __thread int variable;
#else
static int variable;
#endif

#ifdef LIBRARY
int function(int argc, char** argv) {
#else
int main(int argc, char** argv) {
#endif
#ifndef ALONE
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  variable = rank;
  MPI_Barrier(MPI_COMM_WORLD);
  printf("%d %d\n", rank, variable);
  MPI_Finalize();
#endif
  return 0;
}
