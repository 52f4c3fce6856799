/* Calls a library that has variables of its own, and uses one of the program's. */
#include <mpi.h>
#include <stdio.h>

int count(void);
extern int calls;
int of_program = 1000;

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  of_program += rank;
  int first = count();
  int second = count();
  printf("%d: %d %d %d\n", rank, first, second, calls);
  MPI_Finalize();
  return 0;
}
