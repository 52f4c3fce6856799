#define _GNU_SOURCE
/* What a process has once: variables, functions for its beginning and end, random numbers, environment, directory. */
#include <err.h>
#include <errno.h>
#include <locale.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

static int global = 1, caught;
static void at_end(void) { printf("atexit %d\n", global); }
static void handler(int number) { caught = number; }
__attribute__((constructor)) static void begin(int argc, char** argv) { global = 10 * argc + (argv[argc] == NULL); }
__attribute__((destructor)) static void end(void) { printf("destructor %d\n", global); }

int main(int argc, char** argv) {
  int before, after, rank, size;
  MPI_Initialized(&before);
  MPI_Init(&argc, &argv);
  MPI_Initialized(&after);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  global += rank;
  atexit(at_end);
  char text[] = "a b c", name[100], host[64], folder[300];
  strtok(text, " ");
  srand(rank);
  srand48(rank);
  signal(SIGUSR1, handler);
  sprintf(name, "value %d", rank);
  setenv("OWN", name, 1);
  sprintf(name, "%s/%d", argv[1], rank);
  mkdir(name, 0755);
  if (chdir(name) != 0) err(1, "chdir");
  errno = rank;
  MPI_Barrier(MPI_COMM_WORLD);
  int number = errno;
  gethostname(host, sizeof host);
  struct utsname system;
  uname(&system);
  raise(SIGUSR1);
  if (!getcwd(folder, sizeof folder)) err(1, "getcwd");
  printf("%d of %d: MPI %d %d, errno %d, token %s, rand %d, drand48 %.6f, %s, %s, signal %d, global %d, %s%s, pid %d, "
         "cores %ld, name %s\n",
         rank, size, before, after, number, strtok(NULL, " "), rand(), drand48(), getenv("OWN"), strrchr(folder, '/'),
         caught, global, host, strcmp(host, system.nodename) ? " and another" : "", getpid(),
         sysconf(_SC_NPROCESSORS_ONLN), program_invocation_short_name);
  MPI_Finalize();
  return rank == 1 ? 3 : 0;
}
