/* A library with variables, a constructor, and a call of MPI. */
#include <mpi.h>

int calls = 100;
static int begun;
__attribute__((constructor)) static void begin(void) { begun = 1; }
extern int of_program;

int count(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  calls += rank + begun + of_program;
  MPI_Barrier(MPI_COMM_WORLD);
  return calls;
}
