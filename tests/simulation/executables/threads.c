/* Threads of the program print, with the library of the system and with OpenMP. */
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int rank;
static void* print(void* unused) {
  printf("thread of %d\n", rank);
  return unused;
}

int main(int argc, char** argv) {
  pthread_t thread;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_create(&thread, NULL, print, NULL);
  pthread_join(thread, NULL);
#pragma omp parallel num_threads(2)
  {
#pragma omp critical
    printf("%d: %d of %d\n", rank, omp_get_thread_num(), omp_get_num_threads());
#pragma omp barrier
#pragma omp master
    if (argc > 1) MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
