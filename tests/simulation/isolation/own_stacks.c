/* Programs in C whose ranks keep local variables while other ranks run. Each function returns 0 if all is right. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define WORLD MPI_COMM_WORLD
enum { kNumbers = 300 };

static int differs(const double* numbers, double first, double step) {
  for (int i = 0; i < kNumbers; i++) {
    if (numbers[i] != first + step * i) return 1;
  }
  return 0;
}

/* Buffers, requests, statuses and a window in local variables. */
int local_variables(void) {
  int rank, size, wrong = 0;
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &size);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  double in[kNumbers], out[kNumbers], sums[kNumbers], shown[kNumbers], got[kNumbers];
  for (int i = 0; i < kNumbers; i++) {
    out[i] = rank * 1000 + i;
    in[i] = sums[i] = shown[i] = got[i] = -1;
  }
  MPI_Request requests[3];
  MPI_Status statuses[3];
  MPI_Irecv(in, kNumbers, MPI_DOUBLE, left, 7, WORLD, &requests[0]);
  MPI_Barrier(WORLD);
  MPI_Isend(out, kNumbers, MPI_DOUBLE, right, 7, WORLD, &requests[1]);
  MPI_Iallreduce(out, sums, kNumbers, MPI_DOUBLE, MPI_SUM, WORLD, &requests[2]);
  MPI_Barrier(WORLD);
  MPI_Waitall(3, requests, statuses);
  wrong |= differs(in, left * 1000, 1) || statuses[0].MPI_SOURCE != left || statuses[0].MPI_TAG != 7;
  wrong |= differs(sums, size * (size - 1) / 2 * 1000, size) << 1;
  MPI_Win window;
  MPI_Win_create(shown, sizeof shown, sizeof(double), MPI_INFO_NULL, WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(out, kNumbers, MPI_DOUBLE, right, 0, kNumbers, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  wrong |= differs(shown, left * 1000, 1) << 2;
  MPI_Get(got, kNumbers, MPI_DOUBLE, right, 0, kNumbers, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  wrong |= differs(got, rank * 1000, 1) << 3;
  MPI_Win_free(&window);
  return wrong;
}

/* Many bytes of local variables below a message. */
int large_frame(void) {
  char bytes[1 << 20];
  int rank, size, from = -1;
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &size);
  memset(bytes, rank + 1, sizeof bytes);
  for (int i = 0; i < 5; i++) {
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &from, 1, MPI_INT, (rank + size - 1) % size, 0, WORLD,
                 MPI_STATUS_IGNORE);
  }
  for (size_t i = 0; i < sizeof bytes; i++) {
    if (bytes[i] != (char)(rank + 1)) return 1;
  }
  return from != (rank + size - 1) % size;
}

/* Rank 0 returns; the others wait for a message that nobody sends, whatever MPI_Test returns. */
int waits_without_end(void) {
  int rank, arrived = 0, number = 0;
  MPI_Request request;
  MPI_Comm_rank(WORLD, &rank);
  MPI_Barrier(WORLD);
  if (rank == 0) return 0;
  MPI_Irecv(&number, 1, MPI_INT, 0, 5, WORLD, &request);
  while (!arrived) MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
  return 1;
}

static int descend(int levels, volatile char* above) {
  volatile char here[4096];
  here[0] = above ? above[0] : 1;
  const int below = levels == 0 ? 0 : descend(levels - 1, here);
  return below + here[0] - 1;
}

int deep_recursion(void) {
  MPI_Barrier(WORLD);
  return descend(10000, 0);
}

/* Calls a function of Python between two messages. */
int calls_back(void (*function)(void)) {
  int mine[4] = {1, 2, 3, 4};
  MPI_Barrier(WORLD);
  function();
  MPI_Barrier(WORLD);
  return mine[0] + mine[1] + mine[2] + mine[3] != 10;
}

/* A frame larger than the stack, whose far end is used first. */
int larger_than_the_stack(void) {
  volatile char bytes[12 << 20];
  bytes[0] = 1;
  MPI_Barrier(WORLD);
  return bytes[0] != 1;
}

/* As programs end that do not expect MPI_Abort to return. */
int aborts(void) {
  int rank;
  MPI_Comm_rank(WORLD, &rank);
  MPI_Barrier(WORLD);
  if (rank == 1) {
    MPI_Abort(WORLD, 7);
    exit(1);
  }
  return MPI_Barrier(WORLD);
}

/* Calls a function until the function returns something else than 0. */
int repeats(int (*function)(void)) {
  while (function() == 0) {
  }
  return 0;
}
