/* Read calls of MPI_Dims_create from a file, and write the error classes and the extents to another. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  FILE *calls = fopen(argv[1], "r"), *found = fopen(argv[2], "w");
  int nodes, dimensions, extents[8];
  while (fscanf(calls, "%d %d", &nodes, &dimensions) == 2) {
    for (int i = 0; i < dimensions; ++i) fscanf(calls, "%d", &extents[i]);
    const int code = MPI_Dims_create(nodes, dimensions, extents);
    fprintf(found, code == MPI_SUCCESS ? "grid" : code == MPI_ERR_DIMS ? "ERR_DIMS" : code == MPI_ERR_ARG ? "ERR_ARG" : "?");
    for (int i = 0; i < dimensions; ++i) fprintf(found, " %d", extents[i]);
    fprintf(found, "\n");
  }
  fclose(found);
  MPI_Finalize();
}
