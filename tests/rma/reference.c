/* One-sided patterns whose simulated times smpi.jsonl holds: smpicc -O2 reference.c, then smpirun ... PATTERN BYTES
   ROUNDS. Each rank prints the simulated time at its end, in seconds. pattern.py is the same program for mpi4py. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static MPI_Group world, others, first;

static void run(const char* pattern, int bytes, int rounds, MPI_Win win, char* out, char* in) {
  int next = (rank + 1) % size;
  int acts = rank % 2 == 0 && next != 0; /* on a rank that does nothing itself */
  int one = 1, old = 0, zero = 0;
  for (int round = 0; round < rounds; ++round) {
    if (!strcmp(pattern, "create")) {
      char* base;
      MPI_Win made;
      MPI_Win_create(in, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &made);
      MPI_Win_free(&made);
      MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &made);
      MPI_Win_free(&made);
    } else if (!strcmp(pattern, "put")) {
      MPI_Win_fence(0, win);
      MPI_Put(out, bytes, MPI_BYTE, next, 0, bytes, MPI_BYTE, win);
      MPI_Win_fence(0, win);
    } else if (!strcmp(pattern, "get")) {
      MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
      MPI_Get(out, bytes, MPI_BYTE, next, 0, bytes, MPI_BYTE, win);
      MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    } else if (!strcmp(pattern, "putall")) {
      MPI_Win_fence(0, win);
      for (int to = 0; to < size; ++to) MPI_Put(out, bytes, MPI_BYTE, to, 0, bytes, MPI_BYTE, win);
      MPI_Win_fence(0, win);
    } else if (!strcmp(pattern, "accumulate")) {
      MPI_Win_fence(0, win);
      MPI_Accumulate(out, bytes / 4, MPI_INT, 0, 0, bytes / 4, MPI_INT, MPI_SUM, win);
      MPI_Win_fence(0, win);
    } else if (!strcmp(pattern, "pscw")) {
      if (rank == 0) {
        MPI_Win_start(others, 0, win);
        for (int to = 1; to < size; ++to) MPI_Put(out, bytes, MPI_BYTE, to, 0, bytes, MPI_BYTE, win);
        MPI_Win_complete(win);
      } else {
        MPI_Win_post(first, 0, win);
        MPI_Win_wait(win);
      }
    } else if (!strcmp(pattern, "lock")) {
      if (acts) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win);
        MPI_Put(out, bytes, MPI_BYTE, next, 0, bytes, MPI_BYTE, win);
        MPI_Win_flush(next, win);
        MPI_Get(out, bytes, MPI_BYTE, next, 0, bytes, MPI_BYTE, win);
        MPI_Win_unlock(next, win);
      }
      MPI_Barrier(MPI_COMM_WORLD);
    } else if (!strcmp(pattern, "fetch")) {
      MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
      MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 0, MPI_SUM, win);
      MPI_Win_unlock(0, win);
    } else if (!strcmp(pattern, "read")) {
      MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
      MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 0, MPI_NO_OP, win);
      MPI_Win_unlock(0, win);
    } else if (!strcmp(pattern, "swap")) {
      if (acts) {
        MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
        MPI_Compare_and_swap(&one, &zero, &old, MPI_INT, next, 0, win);
        MPI_Win_unlock(next, win);
      }
      MPI_Barrier(MPI_COMM_WORLD);
    } else if (!strcmp(pattern, "requests")) {
      if (acts) {
        MPI_Request request;
        MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
        MPI_Rput(out, bytes, MPI_BYTE, next, 0, bytes, MPI_BYTE, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Rget(out, bytes, MPI_BYTE, next, 0, bytes, MPI_BYTE, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Win_unlock(next, win);
      }
      MPI_Barrier(MPI_COMM_WORLD);
    } else if (!strcmp(pattern, "all")) {
      if (rank == 0) {
        MPI_Win_lock_all(0, win);
        for (int to = 0; to < size; ++to) {
          MPI_Accumulate(out, bytes / 4, MPI_INT, to, 0, bytes / 4, MPI_INT, MPI_SUM, win);
          MPI_Get(out, bytes, MPI_BYTE, to, 0, bytes, MPI_BYTE, win);
        }
        MPI_Win_flush_all(win);
        MPI_Win_unlock_all(win);
      }
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
}

int main(int argc, char** argv) {
  int zero = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_excl(world, 1, &zero, &others);
  MPI_Group_incl(world, 1, &zero, &first);
  int bytes = atoi(argv[2]);
  char* in = calloc(bytes + 8, 1);
  char* out = calloc(bytes + 8, 1);
  MPI_Win win;
  MPI_Win_create(in, bytes + 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Barrier(MPI_COMM_WORLD);
  run(argv[1], bytes, atoi(argv[3]), win, out, in);
  printf("R %d %.12g\n", rank, MPI_Wtime());
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
