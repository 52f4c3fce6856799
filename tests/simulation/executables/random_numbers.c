/* Prints numbers of the generators of the C library, with a barrier in between if there is MPI. */
#ifdef HAS_MPI
#include <mpi.h>
#define BARRIER() MPI_Barrier(MPI_COMM_WORLD)
#else
#define BARRIER() (void)0
#endif
#include <stdio.h>
#include <stdlib.h>

int main(void) {
#ifdef HAS_MPI
  MPI_Init(NULL, NULL);
#endif
  for (int i = 0; i < 3; ++i) {
    printf("%d %ld %.9f %ld %ld\n", rand(), random(), drand48(), lrand48(), mrand48());
    BARRIER();
  }
  srand(7);
  srand48(8);
  char table[64];
  printf("%d %.9f\n", rand(), drand48());
  char* before = initstate(3, table, sizeof table);
  for (int i = 0; i < 3; ++i) {
    BARRIER();
    printf("%ld\n", random());
  }
  setstate(before);
  unsigned short words[3] = {1, 2, 3}, parameters[7] = {1, 2, 3, 4, 5, 6, 7};
  printf("%d %.9f\n", rand(), erand48(words));
  unsigned short* old = seed48(words);
  printf("%d %d %d %.9f\n", old[0], old[1], old[2], drand48());
  lcong48(parameters);
  printf("%.9f\n", drand48());
#ifdef HAS_MPI
  MPI_Finalize();
#endif
  return 0;
}
