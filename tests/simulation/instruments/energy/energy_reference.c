/* Joules of SimGrid's host_energy for tests/energy: smpicc energy_reference.c, then
   smpirun -np N -platform energy.xml -hostfile HOSTS --cfg=smpi/simulate-computation:no --cfg=plugin:host_energy
   [--cfg=smpi/iprobe-cpu-usage:U] ./a.out PROGRAM FLOPS, with four ranks on each host. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, found = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* program = argv[1];
  const double flops = atof(argv[2]);
  MPI_Wtime();
  if (!strcmp(program, "even")) smpi_execute_flops(flops);
  if (!strcmp(program, "skew")) smpi_execute_flops(flops * (rank + 1));
  if (!strcmp(program, "one") && rank == 0) smpi_execute_flops(flops);
  if (!strcmp(program, "comm")) {
    char* payload = calloc(4000000, 1);
    for (int i = 0; i < 10; ++i) MPI_Bcast(payload, 4000000, MPI_CHAR, 0, MPI_COMM_WORLD);
    free(payload);
  }
  if (!strcmp(program, "probe") && rank == 0) {
    for (int i = 0; i < 50; ++i) MPI_Iprobe(1, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  }
  if (!strcmp(program, "test") && rank == 0) {
    char byte;
    MPI_Request request;
    MPI_Irecv(&byte, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
    while (!found) MPI_Test(&request, &found, MPI_STATUS_IGNORE);
  }
  if (!strcmp(program, "test") && rank == 1) {
    char byte = 0;
    smpi_execute_flops(flops);
    MPI_Send(&byte, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  }
  double mine = rank, sum;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Wtime();
  MPI_Finalize();
  return 0;
}
