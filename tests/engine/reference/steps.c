/* Runs a file of steps under SMPI and prints the time at which each rank has done each of them:
 *   smpicc steps.c -o steps && smpirun -np N -platform P -hostfile H --cfg=smpi/simulate-computation:no ./steps STEPS
 * A line is "RANK STEP ARGUMENTS". Steps: flops N; sleep MICROSECONDS; send PEER BYTES; recv PEER BYTES; swap PEER
 * BYTES (MPI_Sendrecv both ways); alltoall BYTES; bcast BYTES; pstate N (of the rank's host). tests/engine/steps.py is
 * the same program in Python. */
#include <mpi.h>
#include <simgrid/host.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, size;
  char line[256];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  FILE* file = fopen(argv[1], "r");
  while (fgets(line, sizeof line, file)) {
    int who;
    char step[32];
    double first = 0, second = 0;
    if (sscanf(line, "%d %31s %lg %lg", &who, step, &first, &second) < 3 || who != rank) continue;
    int peer = (int)first;
    int bytes = (int)second;
    char* out = malloc(8 + (size_t)(first > second ? first : second) * size);
    char* in = malloc(8 + (size_t)(first > second ? first : second) * size);
    if (!strcmp(step, "flops")) smpi_execute_flops(first);
    if (!strcmp(step, "sleep")) usleep((useconds_t)first);
    if (!strcmp(step, "send")) MPI_Send(out, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
    if (!strcmp(step, "recv")) MPI_Recv(in, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(step, "swap"))
      MPI_Sendrecv(out, bytes, MPI_BYTE, peer, 0, in, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(step, "alltoall")) MPI_Alltoall(out, peer, MPI_BYTE, in, peer, MPI_BYTE, MPI_COMM_WORLD);
    if (!strcmp(step, "bcast")) MPI_Bcast(out, peer, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (!strcmp(step, "pstate")) sg_host_set_pstate(sg_host_self(), peer);
    printf("%d %.17g\n", rank, MPI_Wtime());
    free(out);
    free(in);
  }
  fclose(file);
  MPI_Finalize();
  return 0;
}
