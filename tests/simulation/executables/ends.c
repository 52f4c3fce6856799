/* Rank 1 ends in the way that the command line names; the others wait for it. */
#include <assert.h>
#include <err.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void at_end(void) { puts("atexit"); }

int main(int argc, char** argv) {
  int rank;
  const char* how = argv[argc - 1];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    atexit(at_end);
    if (!strcmp(how, "exit")) exit(4);
    if (!strcmp(how, "_exit")) _exit(5);
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "assert")) assert(rank == 2);
    if (!strcmp(how, "errx")) errx(6, "no %s", "luck");
    if (!strcmp(how, "MPI_Abort")) MPI_Abort(MPI_COMM_WORLD, 9);
    if (!strcmp(how, "error")) MPI_Send(&rank, 1, MPI_INT, 77, 0, MPI_COMM_WORLD);
    if (!strcmp(how, "raise")) raise(SIGTERM);
    if (!strcmp(how, "fork")) fork();
    if (!strcmp(how, "exec")) execl("/bin/true", "true", (char*)NULL);
    if (!strcmp(how, "alarm")) alarm(1);
    if (!strcmp(how, "deadlock")) MPI_Recv(&rank, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d goes on\n", rank);
  MPI_Finalize();
  return 0;
}
