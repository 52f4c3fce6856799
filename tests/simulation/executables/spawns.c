/* Starts two ranks of a Python program, and prints the numbers that they send. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Comm children;
  double drawn[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_spawn("python3", argv + 1, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE);
  for (int rank = 0; rank < 2; ++rank) {
    MPI_Recv(&drawn[rank], 1, MPI_DOUBLE, rank, 0, children, MPI_STATUS_IGNORE);
  }
  printf("%s\n", drawn[0] != drawn[1] ? "different" : "equal");
  MPI_Comm_disconnect(&children);
  MPI_Finalize();
  return 0;
}
