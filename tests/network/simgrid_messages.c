/* What SMPI says of messages under its network models: the source of simgrid_messages.jsonl (see
   make_simgrid_messages.py). Not part of the build. Each line of the file named on the command line is a message:
   sender, receiver, bytes, and microseconds that the sender waits before it. All receives are posted at the beginning;
   a rank's messages go out in the order of the lines. Prints when each message is complete at its receiver. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, count = 0, sent = 0, received = 0;
  long message[4096][4];
  int number[4096];
  MPI_Request sends[4096], receives[4096];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  FILE* file = fopen(argv[1], "r");
  while (fscanf(file, "%ld %ld %ld %ld", &message[count][0], &message[count][1], &message[count][2],
                &message[count][3]) == 4) {
    count++;
  }
  fclose(file);
  for (int i = 0; i < count; i++) {
    if (message[i][1] != rank) continue;
    MPI_Irecv(malloc(message[i][2] + 1), message[i][2], MPI_BYTE, message[i][0], i, MPI_COMM_WORLD,
              &receives[received]);
    number[received++] = i;
  }
  for (int i = 0; i < count; i++) {
    if (message[i][0] != rank) continue;
    if (message[i][3] > 0) usleep(message[i][3]);
    MPI_Isend(malloc(message[i][2] + 1), message[i][2], MPI_BYTE, message[i][1], i, MPI_COMM_WORLD, &sends[sent++]);
  }
  for (int i = 0; i < received; i++) {
    int index;
    MPI_Waitany(received, receives, &index, MPI_STATUS_IGNORE);
    printf("M %d %.17g\n", number[index], MPI_Wtime());
  }
  MPI_Waitall(sent, sends, MPI_STATUSES_IGNORE);
  MPI_Finalize();
  return 0;
}
