/* Runs the program in a file: each rank carries out its lines (programs.py), and prints its clock after each step T. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMost = 256 };

/* All state of a rank. It is on the heap, because SMPI exchanges static variables when it switches to another rank. */
typedef struct {
  char *sent, *received, *exposed;
  MPI_Comm comms[kMost];
  MPI_Request requests[4 * kMost], pending[kMost];
  MPI_Win windows[kMost];
  MPI_Status status, statuses[kMost];
  double times[kMost], begun;
  int steps, indices[kMost], arguments;
  long a[kMost]; /* the arguments of the operation */
} State;

static int is(const char* operation, const char* name) { return strcmp(operation, name) == 0; }

static MPI_Group group(State* s, MPI_Comm comm, int first) {
  int members[kMost];
  MPI_Group all, chosen;
  for (int i = first; i < s->arguments; ++i) members[i - first] = s->a[i];
  MPI_Comm_group(comm, &all);
  MPI_Group_incl(all, s->arguments - first, members, &chosen);
  MPI_Group_free(&all);
  return chosen;
}

static int basics(State* s, const char* operation, double amount) {
  if (is(operation, "T")) s->times[s->steps++] = MPI_Wtime() - s->begun;
  else if (is(operation, "flops")) smpi_execute_flops(amount);
  else if (is(operation, "sleep")) usleep(amount);
  else if (is(operation, "split")) MPI_Comm_split(s->comms[s->a[0]], s->a[2] < 0 ? MPI_UNDEFINED : s->a[2], s->a[3], &s->comms[s->a[1]]);
  else if (is(operation, "dup")) MPI_Comm_dup(s->comms[s->a[0]], &s->comms[s->a[1]]);
  else if (is(operation, "create")) MPI_Comm_create(s->comms[s->a[0]], group(s, s->comms[s->a[0]], 2), &s->comms[s->a[1]]);
  else return 0;
  return 1;
}

static void answer(State* s, int source) {
  MPI_Recv(s->received, s->a[2], MPI_BYTE, source, s->a[1], s->comms[s->a[0]], &s->status);
  MPI_Send(s->sent, s->a[3], MPI_BYTE, s->status.MPI_SOURCE, s->a[1] + 1, s->comms[s->a[0]]);
}

static int messages(State* s, const char* operation) {
  const MPI_Comm comm = s->comms[s->a[0]];
  const int peer = s->a[1] < 0 ? MPI_ANY_SOURCE : s->a[1], tag = s->a[2] < 0 ? MPI_ANY_TAG : s->a[2];
  if (is(operation, "isend")) MPI_Isend(s->sent, s->a[3], MPI_BYTE, peer, tag, comm, &s->requests[s->a[4]]);
  else if (is(operation, "issend")) MPI_Issend(s->sent, s->a[3], MPI_BYTE, peer, tag, comm, &s->requests[s->a[4]]);
  else if (is(operation, "irecv")) MPI_Irecv(s->received, s->a[3], MPI_BYTE, peer, tag, comm, &s->requests[s->a[4]]);
  else if (is(operation, "send")) MPI_Send(s->sent, s->a[3], MPI_BYTE, peer, tag, comm);
  else if (is(operation, "recv")) MPI_Recv(s->received, s->a[3], MPI_BYTE, peer, tag, comm, &s->status);
  else if (is(operation, "reply")) answer(s, MPI_ANY_SOURCE);
  else if (is(operation, "preply")) {
    MPI_Probe(MPI_ANY_SOURCE, s->a[1], comm, &s->status);
    answer(s, s->status.MPI_SOURCE);
  } else if (is(operation, "ipreply")) {
    int found = 0;
    while (!found) MPI_Iprobe(MPI_ANY_SOURCE, s->a[1], comm, &found, &s->status);
    answer(s, s->status.MPI_SOURCE);
  } else return 0;
  return 1;
}

static int completions(State* s, const char* operation) {
  if (strncmp(operation, "wait", 4) != 0 && strncmp(operation, "test", 4) != 0) return 0;
  int index = 0, done = 0;
  for (int i = 0; i < s->arguments; ++i) s->pending[i] = s->requests[s->a[i]];
  if (is(operation, "wait")) MPI_Wait(s->pending, &s->status);
  else if (is(operation, "waitall")) MPI_Waitall(s->arguments, s->pending, s->statuses);
  else if (is(operation, "waitany")) do MPI_Waitany(s->arguments, s->pending, &index, &s->status); while (index != MPI_UNDEFINED);
  else if (is(operation, "waitsome")) do MPI_Waitsome(s->arguments, s->pending, &index, s->indices, s->statuses); while (index != MPI_UNDEFINED);
  else if (is(operation, "test")) while (!done) MPI_Test(s->pending, &done, &s->status);
  else if (is(operation, "testall")) while (!done) MPI_Testall(s->arguments, s->pending, &done, s->statuses);
  else if (is(operation, "testany")) do MPI_Testany(s->arguments, s->pending, &index, &done, &s->status); while (!done || index != MPI_UNDEFINED);
  else if (is(operation, "testsome")) do MPI_Testsome(s->arguments, s->pending, &index, s->indices, s->statuses); while (index != MPI_UNDEFINED);
  else return 0;
  return 1;
}

static int one_sided(State* s, const char* operation) {
  MPI_Win* const window = &s->windows[s->a[0]];
  const int count = s->a[2] / 8;
  if (is(operation, "wincreate")) MPI_Win_create(s->exposed, s->a[2], 1, MPI_INFO_NULL, s->comms[s->a[0]], &s->windows[s->a[1]]);
  else if (is(operation, "winfree")) MPI_Win_free(window);
  else if (is(operation, "fence")) MPI_Win_fence(s->a[1] ? MPI_MODE_NOPRECEDE : 0, *window);
  else if (is(operation, "put")) MPI_Put(s->sent, s->a[2], MPI_BYTE, s->a[1], 0, s->a[2], MPI_BYTE, *window);
  else if (is(operation, "get")) MPI_Get(s->received, s->a[2], MPI_BYTE, s->a[1], 0, s->a[2], MPI_BYTE, *window);
  else if (is(operation, "acc")) MPI_Accumulate(s->sent, count, MPI_DOUBLE, s->a[1], 0, count, MPI_DOUBLE, MPI_SUM, *window);
  else if (is(operation, "gacc"))
    MPI_Get_accumulate(s->sent, count, MPI_DOUBLE, s->received, count, MPI_DOUBLE, s->a[1], 0, count, MPI_DOUBLE, MPI_SUM, *window);
  else if (is(operation, "fop")) MPI_Fetch_and_op(s->sent, s->received, MPI_DOUBLE, s->a[1], 0, MPI_SUM, *window);
  else if (is(operation, "lock")) MPI_Win_lock(MPI_LOCK_SHARED, s->a[1], 0, *window);
  else if (is(operation, "xlock")) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, s->a[1], 0, *window);
  else if (is(operation, "unlock")) MPI_Win_unlock(s->a[1], *window);
  else if (is(operation, "lockall")) MPI_Win_lock_all(0, *window);
  else if (is(operation, "unlockall")) MPI_Win_unlock_all(*window);
  else if (is(operation, "flush")) MPI_Win_flush(s->a[1], *window);
  else if (is(operation, "flushlocal")) MPI_Win_flush_local(s->a[1], *window);
  else if (is(operation, "flushall")) MPI_Win_flush_all(*window);
  else if (is(operation, "flushlocalall")) MPI_Win_flush_local_all(*window);
  else if (is(operation, "cas")) MPI_Compare_and_swap(s->sent, s->sent, s->received, MPI_INT, s->a[1], 0, *window);
  else if (is(operation, "post")) MPI_Win_post(group(s, s->comms[s->a[0]], 2), 0, s->windows[s->a[1]]);
  else if (is(operation, "startw")) MPI_Win_start(group(s, s->comms[s->a[0]], 2), 0, s->windows[s->a[1]]);
  else if (is(operation, "complete")) MPI_Win_complete(*window);
  else if (is(operation, "waitw")) MPI_Win_wait(*window);
  else return 0;
  return 1;
}

static int requested(State* s, const char* operation) {
  const MPI_Win window = s->windows[s->a[0]];
  MPI_Request* const request = &s->requests[s->a[3]];
  const int to = s->a[1], bytes = s->a[2], count = bytes / 8;
  if (is(operation, "rput")) MPI_Rput(s->sent, bytes, MPI_BYTE, to, 0, bytes, MPI_BYTE, window, request);
  else if (is(operation, "rget")) MPI_Rget(s->received, bytes, MPI_BYTE, to, 0, bytes, MPI_BYTE, window, request);
  else if (is(operation, "racc"))
    MPI_Raccumulate(s->sent, count, MPI_DOUBLE, to, 0, count, MPI_DOUBLE, MPI_SUM, window, request);
  else if (is(operation, "rgacc"))
    MPI_Rget_accumulate(s->sent, count, MPI_DOUBLE, s->received, count, MPI_DOUBLE, to, 0, count, MPI_DOUBLE, MPI_SUM,
                        window, request);
  else return 0;
  return 1;
}

static int collective(State* s, const char* name) {
  const MPI_Comm comm = s->comms[s->a[0]];
  const MPI_Datatype type = s->a[3] == 1 ? MPI_DOUBLE : MPI_INT;
  const int root = s->a[1], count = s->a[2] / (s->a[3] == 1 ? 8 : 4);
  int size, me, counts[kMost], starts[kMost], own_counts[kMost], own_starts[kMost];
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &me);
  for (int i = 0, total = 0; i < size; total += counts[i++]) {
    counts[i] = count * ((i * 7 + 3) % 5) / 4;
    starts[i] = total;
  }
  for (int i = 0; i < size; ++i) {
    own_counts[i] = counts[me];
    own_starts[i] = i * counts[me];
  }
  const int mine = counts[me];
  if (is(name, "barrier")) MPI_Barrier(comm);
  else if (is(name, "bcast")) MPI_Bcast(s->sent, count, type, root, comm);
  else if (is(name, "reduce")) MPI_Reduce(s->sent, s->received, count, type, MPI_SUM, root, comm);
  else if (is(name, "allreduce")) MPI_Allreduce(s->sent, s->received, count, type, MPI_SUM, comm);
  else if (is(name, "scan")) MPI_Scan(s->sent, s->received, count, type, MPI_SUM, comm);
  else if (is(name, "exscan")) MPI_Exscan(s->sent, s->received, count, type, MPI_SUM, comm);
  else if (is(name, "gather")) MPI_Gather(s->sent, count, type, s->received, count, type, root, comm);
  else if (is(name, "scatter")) MPI_Scatter(s->sent, count, type, s->received, count, type, root, comm);
  else if (is(name, "allgather")) MPI_Allgather(s->sent, count, type, s->received, count, type, comm);
  else if (is(name, "alltoall")) MPI_Alltoall(s->sent, count, type, s->received, count, type, comm);
  else if (is(name, "rsb")) MPI_Reduce_scatter_block(s->sent, s->received, count, type, MPI_SUM, comm);
  else if (is(name, "allgatherv")) MPI_Allgatherv(s->sent, mine, type, s->received, counts, starts, type, comm);
  else if (is(name, "gatherv")) MPI_Gatherv(s->sent, mine, type, s->received, counts, starts, type, root, comm);
  else if (is(name, "scatterv")) MPI_Scatterv(s->sent, counts, starts, type, s->received, mine, type, root, comm);
  else if (is(name, "alltoallv"))
    MPI_Alltoallv(s->sent, counts, starts, type, s->received, own_counts, own_starts, type, comm);
  else return 0;
  return 1;
}

static int nonblocking(State* s, const char* name) {
  const MPI_Comm comm = s->comms[s->a[0]];
  const MPI_Datatype type = s->a[3] == 1 ? MPI_DOUBLE : MPI_INT;
  const int bytes = s->a[3] == 1 ? 8 : 4, root = s->a[1], count = s->a[2] / bytes;
  MPI_Request* const request = &s->requests[s->a[4]];
  MPI_Datatype types[kMost];
  int size, me, counts[kMost], starts[kMost], own_counts[kMost], own_starts[kMost], at[kMost], own_at[kMost];
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &me);
  for (int i = 0, total = 0; i < size; total += counts[i++]) {
    counts[i] = count * ((i * 7 + 3) % 5) / 4;
    starts[i] = total;
    at[i] = total * bytes;
    types[i] = type;
  }
  const int mine = counts[me];
  for (int i = 0; i < size; ++i) {
    own_counts[i] = mine;
    own_starts[i] = i * mine;
    own_at[i] = i * mine * bytes;
  }
  if (is(name, "ibarrier")) MPI_Ibarrier(comm, request);
  else if (is(name, "ibcast")) MPI_Ibcast(s->sent, count, type, root, comm, request);
  else if (is(name, "ireduce")) MPI_Ireduce(s->sent, s->received, count, type, MPI_SUM, root, comm, request);
  else if (is(name, "iallreduce")) MPI_Iallreduce(s->sent, s->received, count, type, MPI_SUM, comm, request);
  else if (is(name, "iscan")) MPI_Iscan(s->sent, s->received, count, type, MPI_SUM, comm, request);
  else if (is(name, "iexscan")) MPI_Iexscan(s->sent, s->received, count, type, MPI_SUM, comm, request);
  else if (is(name, "igather")) MPI_Igather(s->sent, count, type, s->received, count, type, root, comm, request);
  else if (is(name, "iscatter")) MPI_Iscatter(s->sent, count, type, s->received, count, type, root, comm, request);
  else if (is(name, "iallgather")) MPI_Iallgather(s->sent, count, type, s->received, count, type, comm, request);
  else if (is(name, "ialltoall")) MPI_Ialltoall(s->sent, count, type, s->received, count, type, comm, request);
  else if (is(name, "irsb")) MPI_Ireduce_scatter_block(s->sent, s->received, count, type, MPI_SUM, comm, request);
  else if (is(name, "ireducescatter")) MPI_Ireduce_scatter(s->sent, s->received, counts, type, MPI_SUM, comm, request);
  else if (is(name, "iallgatherv"))
    MPI_Iallgatherv(s->sent, mine, type, s->received, counts, starts, type, comm, request);
  else if (is(name, "igatherv"))
    MPI_Igatherv(s->sent, mine, type, s->received, counts, starts, type, root, comm, request);
  else if (is(name, "iscatterv"))
    MPI_Iscatterv(s->sent, counts, starts, type, s->received, mine, type, root, comm, request);
  else if (is(name, "ialltoallv"))
    MPI_Ialltoallv(s->sent, counts, starts, type, s->received, own_counts, own_starts, type, comm, request);
  else if (is(name, "ialltoallw"))
    MPI_Ialltoallw(s->sent, counts, at, types, s->received, own_counts, own_at, types, comm, request);
  else return 0;
  return 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  State* const s = calloc(1, sizeof *s);
  FILE* const program = fopen(argv[1], "r");
  char line[4096];
  const long room = atol(fgets(line, sizeof line, program));
  s->sent = calloc(room, 1);
  s->received = calloc(room, 1);
  s->exposed = calloc(room, 1);
  s->comms[0] = MPI_COMM_WORLD;
  s->begun = MPI_Wtime();
  while (fgets(line, sizeof line, program)) {
    char* rest = line;
    if (strtol(rest, &rest, 10) != rank) continue;
    char operation[32];
    int length;
    sscanf(rest, "%31s%n", operation, &length);
    rest += length;
    double amount = 0.0;
    for (s->arguments = 0;; ++s->arguments) {
      char* end;
      const double value = strtod(rest, &end);
      if (end == rest) break;
      if (s->arguments == 0) amount = value;
      s->a[s->arguments] = value;
      rest = end;
    }
    if (!basics(s, operation, amount) && !messages(s, operation) && !completions(s, operation) && !one_sided(s, operation) &&
        !requested(s, operation) && !collective(s, operation) && !nonblocking(s, operation)) {
      fprintf(stderr, "unknown operation %s\n", operation);
      return 1;
    }
  }
  printf("R %d", rank);
  for (int i = 0; i < s->steps; ++i) printf(" %.13g", s->times[i]);
  printf("\n");
  MPI_Finalize();
  return 0;
}
