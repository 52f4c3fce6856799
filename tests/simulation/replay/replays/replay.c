/* Replays one trace a rank in SMPI, and writes when each rank has ended: replay DIRECTORY, with a file RANK.txt each. */
#include <mpi.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <stdio.h>
#include <stdlib.h>

void smpi_replay_run(const char* instance, int rank, double delay, const char* trace);

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  char path[4096];
  const int rank = (int)sg_actor_self_get_pid() - 1;
  snprintf(path, sizeof path, "%s/%d.txt", argv[1], rank);
  smpi_replay_run("smpirun", rank, 0.0, path);
  printf("end %d %.17g\n", rank, simgrid_get_clock());
  fflush(stdout);
  return 0;
}
