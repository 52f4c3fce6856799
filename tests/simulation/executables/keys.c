/* Values of keys of thread-specific data stay a rank's own, whichever function and thread creates the keys. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <threads.h>

static pthread_key_t first, second;
static tss_t of_c11;

static void* create_second(void* unused) {
  pthread_key_create(&second, NULL);
  return unused;
}

int main(int argc, char** argv) {
  int rank, right;
  pthread_t thread;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  tss_create(&of_c11, NULL);
  tss_set(of_c11, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  pthread_create(&thread, NULL, create_second, NULL);
  pthread_join(thread, NULL);
  pthread_setspecific(second, &right);
  MPI_Barrier(MPI_COMM_WORLD);
  pthread_key_create(&first, NULL);
  pthread_setspecific(first, argv);
  MPI_Barrier(MPI_COMM_WORLD);
  right = tss_get(of_c11) == &rank && pthread_getspecific(second) == &right && pthread_getspecific(first) == argv;
  pthread_key_delete(first);
  if (rank == 0) pthread_key_delete(first); /* an error, which must not concern other ranks */
  MPI_Barrier(MPI_COMM_WORLD);
  right = right && pthread_setspecific(second, argv) == 0 && pthread_getspecific(second) == argv;
  printf("%d: %s\n", rank, right ? "right" : "wrong");
  MPI_Finalize();
  return 0;
}
