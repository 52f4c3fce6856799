// Variables of all kinds in a C library. MPI lets all ranks run while one of them waits in exchange() or in a callback.
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

#define LENGTH 20000  // several pages

int initialised = 7;
int zero[LENGTH];
static int* on_heap;
static int constructed;
static int buffer[LENGTH];
static MPI_Request requests[2];
static MPI_Status statuses[2];
static int factor = 1;

__attribute__((constructor)) static void construct(void) { constructed = initialised + 3; }

#ifdef HEAP
static int* made;
__attribute__((constructor)) static void allocate(void) { made = calloc(100, sizeof *made); }
int add_to_made(int value) { return made[50] += value; }
#endif

#ifdef THREADS
static void* run(void* argument) { return argument; }
int start(pthread_t* thread) { return pthread_create(thread, NULL, run, NULL); }
#endif

static int* counter(void) {
  static int count = 1;
  return &count;
}

int sum(void) { return initialised + zero[0] + zero[LENGTH - 1] + *counter() + constructed + (on_heap ? *on_heap : 0); }

void assign(int value) {
  initialised = zero[0] = zero[LENGTH - 1] = *counter() = constructed = value;
  if (!on_heap) on_heap = malloc(sizeof *on_heap);
  *on_heap = value;
}

// Pass a rank's number around with nonblocking calls on static buffers, requests and statuses.
int pass_on(int rank, int size) {
  buffer[0] = buffer[LENGTH / 2] = rank;
  MPI_Irecv(buffer + LENGTH / 2, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Isend(buffer, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  return statuses[0].MPI_SOURCE == (rank + size - 1) % size ? buffer[LENGTH / 2] : -1;
}

// The same with blocking, persistent and one-sided calls.
int pass_again(int rank, int size) {
  int before = (rank + size - 1) % size, after = (rank + 1) % size, found = 0;
  buffer[0] = rank;
  buffer[1] = -1;
  MPI_Sendrecv(buffer, 1, MPI_INT, after, 1, buffer + 1, 1, MPI_INT, before, 1, MPI_COMM_WORLD, statuses);
  found += buffer[1] == before && statuses[0].MPI_SOURCE == before;
  MPI_Recv_init(buffer + 2, 1, MPI_INT, before, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(buffer, 1, MPI_INT, after, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Startall(2, requests);
  int first = -1;
  MPI_Waitany(2, requests, &first, statuses);
  MPI_Waitany(2, requests, &first, statuses);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  found += buffer[2] == before;
  MPI_Win window;
  MPI_Win_create(zero, sizeof zero, sizeof *zero, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(buffer, 1, MPI_INT, after, 5, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  found += zero[5] == before;
  MPI_Get(buffer + 3, 1, MPI_INT, after, 5, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  found += buffer[3] == rank;
  MPI_Win_free(&window);
  return found;
}

static void scaled_sum(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i] + factor - factor;
  zero[1] += factor;
}

// Sum in static buffers, by an operation of the library that uses a variable of its own. Returns -1 unless the
// operation has seen the rank's own variables only.
int reduce(int rank, int size) {
  MPI_Op operation;
  MPI_Op_create(scaled_sum, 1, &operation);
  factor = 100 + rank;
  zero[1] = 0;
  buffer[0] = rank;
  MPI_Allreduce(buffer, buffer + 1, 1, MPI_INT, operation, MPI_COMM_WORLD);
  MPI_Iallreduce(MPI_IN_PLACE, buffer + 1, 1, MPI_INT, operation, MPI_COMM_WORLD, requests);
  MPI_Wait(requests, statuses);
  MPI_Op_free(&operation);
  return zero[1] % factor == 0 ? buffer[1] : -1;
}

// Gather with counts and displacements in variables of the library.
int gather(int rank, int size) {
  static int counts[100], displacements[100];
  for (int i = 0; i < size; ++i) {
    counts[i] = 1;
    displacements[i] = 2 * i;
  }
  buffer[0] = rank;
  MPI_Allgatherv(buffer, 1, MPI_INT, zero, counts, displacements, MPI_INT, MPI_COMM_WORLD);
  MPI_Iallgatherv(buffer, 1, MPI_INT, zero + 2 * size, counts, displacements, MPI_INT, MPI_COMM_WORLD, requests);
  MPI_Wait(requests, MPI_STATUS_IGNORE);
  int found = 0;
  for (int i = 0; i < size; ++i) found += zero[2 * i] + zero[2 * size + 2 * i];
  return found;
}

static int* total;
static void add_to_total(void) { *total += initialised; }

// Add a variable of the library to a number when the process ends.
void add_at_end(int* number) {
  total = number;
  atexit(add_to_total);
}

static int key = MPI_KEYVAL_INVALID, deleted;
static int forget(MPI_Comm comm, int keyval, void* value, void* state) {
  (void)comm, (void)keyval, (void)state;
  deleted += *(int*)value;
  return MPI_SUCCESS;
}

// Keep a variable of the library as an attribute, whose deletion calls a function of the library.
int attribute(int rank) {
  MPI_Comm copy;
  initialised = rank;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_set_attr(copy, key, &initialised);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_free(&copy);
  MPI_Comm_free_keyval(&key);
  return deleted;
}
