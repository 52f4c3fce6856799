/* Calls in which ABIs differ: handles that are compared, constants, statuses, arrays of handles, the program's
 * functions. This source is compiled for each ABI, with its header. Rank 0 prints the number of wrong results of all
 * ranks; the exit status is 1 if there are any. */
#ifdef ABI_HEADER
#include ABI_HEADER
typedef long MPI_Aint;
typedef long long MPI_Count, MPI_Offset;
#include "prototypes.h"
#else
#include <mpi.h>
#endif
#include <stdio.h>
#include <string.h>

static int wrong;

#define CHECK(condition) \
  if (!(condition)) ++wrong, printf("line %d: %s\n", __LINE__, #condition)

static int rank, size, right, left;

static int class_of(int code) {
  int found = -1;
  MPI_Error_class(code, &found);
  return found;
}

static void messages(void) {
  int sent[2] = {rank, 10 * rank}, got[2] = {-1, -1}, count = -1, flag = -1, index = -1;
  MPI_Request requests[2];
  MPI_Status statuses[2], status;
  MPI_Irecv(got, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(sent, 2, MPI_INT, right, 7, MPI_COMM_WORLD, &requests[1]);
  CHECK(requests[0] != MPI_REQUEST_NULL);
  MPI_Waitall(2, requests, statuses);
  CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
  CHECK(statuses[0].MPI_SOURCE == left && statuses[0].MPI_TAG == 7 && got[1] == 10 * left);
  MPI_Get_count(&statuses[0], MPI_INT, &count);
  CHECK(count == 2);
  MPI_Test_cancelled(&statuses[0], &flag);
  CHECK(flag == 0);
  MPI_Recv(got, 2, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
  MPI_Waitany(2, requests, &index, &status);
  CHECK(index == MPI_UNDEFINED && status.MPI_SOURCE == MPI_ANY_SOURCE);
  MPI_Sendrecv(sent, 1, MPI_INT, right, 1, got, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(got[0] == left);

  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status);
  CHECK(message == MPI_MESSAGE_NO_PROC);
  MPI_Mrecv(got, 1, MPI_INT, &message, &status);
  CHECK(message == MPI_MESSAGE_NULL && status.MPI_SOURCE == MPI_PROC_NULL);
  MPI_Isend(sent, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Mprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &message, &status);
  CHECK(status.MPI_SOURCE == left);
  MPI_Mrecv(got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  CHECK(got[0] == left && requests[0] == MPI_REQUEST_NULL);

  MPI_Irecv(got, 1, MPI_INT, left, 99, MPI_COMM_WORLD, &requests[0]);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], &status);
  MPI_Test_cancelled(&status, &flag);
  CHECK(flag != 0);

  MPI_Send_init(sent, 1, MPI_INT, right, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(got, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &requests[1]);
  MPI_Startall(2, requests);
  int done = 0, some = 0, indices[2];
  while (done < 2) {
    MPI_Waitsome(2, requests, &some, indices, statuses);
    done += some;
  }
  CHECK(requests[0] != MPI_REQUEST_NULL);
  MPI_Request persistent = requests[0];
  struct {
    MPI_Status first;
    int after[16];
  } few;
  memset(&few, 1, sizeof few);
  few.first.MPI_ERROR = 77;
  MPI_Testsome(2, requests, &some, indices, &few.first); /* both are inactive */
  CHECK(some == MPI_UNDEFINED && few.after[0] == 0x01010101 && few.first.MPI_ERROR == 77);
  MPI_Isend(sent, 1, MPI_INT, right, 8, MPI_COMM_WORLD, &requests[0]);
  few.first.MPI_ERROR = 77;
  MPI_Recv(got, 1, MPI_INT, left, 8, MPI_COMM_WORLD, &few.first);
  CHECK(few.first.MPI_SOURCE == left && few.first.MPI_ERROR == 77);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Request_free(&persistent);
  MPI_Request_free(&requests[1]);
  CHECK(requests[1] == MPI_REQUEST_NULL);
}

static MPI_Comm of_handler;
static int class_of_handler;

static void handle(MPI_Comm* comm, int* code, ...) {
  of_handler = *comm;
  class_of_handler = class_of(*code);
}

static void errors(void) {
  int value = 0, length = 0;
  char text[MPI_MAX_ERROR_STRING];
  MPI_Errhandler handler, found;
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  CHECK(class_of(MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD)) == MPI_ERR_RANK);
  CHECK(of_handler == MPI_COMM_WORLD && class_of_handler == MPI_ERR_RANK);
  CHECK(class_of(MPI_Send(&value, 1, MPI_INT, MPI_ROOT, 0, MPI_COMM_WORLD)) == MPI_ERR_RANK);
  CHECK(class_of(MPI_Send(&value, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD)) == MPI_ERR_TAG);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &found);
  CHECK(found == handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&found);
  MPI_Errhandler_free(&handler);
  CHECK(class_of(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD)) == MPI_ERR_TYPE);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &found);
  CHECK(found == MPI_ERRORS_RETURN);

  int big[2] = {0, 0};
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Irecv(&value, 1, MPI_INT, left, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(big, 2, MPI_INT, right, 5, MPI_COMM_WORLD, &requests[1]);
  CHECK(class_of(MPI_Waitall(2, requests, statuses)) == MPI_ERR_IN_STATUS);
  CHECK(class_of(statuses[0].MPI_ERROR) == MPI_ERR_TRUNCATE && statuses[1].MPI_ERROR == 0);
  MPI_Error_string(MPI_ERR_TRUNCATE, text, &length);
  CHECK(strstr(text, "TRUNCATE") && length == (int)strlen(text) && length < MPI_MAX_ERROR_STRING);

  int added, code;
  MPI_Add_error_class(&added);
  MPI_Add_error_code(added, &code);
  MPI_Add_error_string(code, "of the program");
  CHECK(class_of(code) == added);
  MPI_File file = MPI_FILE_NULL;
  int failed = MPI_File_open(MPI_COMM_SELF, "missing/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  CHECK(class_of(failed) == MPI_ERR_NO_SUCH_FILE && file == MPI_FILE_NULL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static int copies, deletions;

static int copy(MPI_Comm comm, int key, void* state, void* value, void* copied, int* flag) {
  CHECK(comm == MPI_COMM_WORLD && key == *(int*)state);
  *(void**)copied = value;
  *flag = 1;
  ++copies;
  return 0;
}

static int deleted(MPI_Comm comm, int key, void* value, void* state) {
  CHECK(comm != MPI_COMM_NULL && key == *(int*)state && value == state);
  ++deletions;
  return 0;
}

static void attributes(void) {
  int key, dup_key, flag = 0, *value = 0;
  MPI_Comm twin;
  MPI_Comm_create_keyval(copy, deleted, &key, &key);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &dup_key, 0);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key);
  MPI_Comm_set_attr(MPI_COMM_WORLD, dup_key, &flag);
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_get_attr(twin, key, &value, &flag);
  CHECK(flag && value == &key && copies == 1);
  MPI_Comm_get_attr(twin, dup_key, &value, &flag);
  CHECK(flag && value == &flag);
  MPI_Comm_free(&twin);
  CHECK(twin == MPI_COMM_NULL && deletions == 1);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, dup_key);
  MPI_Comm_free_keyval(&key);
  CHECK(key == MPI_KEYVAL_INVALID && deletions == 2);
  MPI_Comm_free_keyval(&dup_key);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
  CHECK(flag && *value >= 32767);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &flag);
  CHECK(flag && (*value == MPI_ANY_SOURCE || *value == rank));
}

static void largest(void* in, void* inout, int* count, MPI_Datatype* type) {
  CHECK(*type == MPI_INT);
  for (int i = 0; i < *count; ++i) {
    if (((int*)in)[i] > ((int*)inout)[i]) ((int*)inout)[i] = ((int*)in)[i];
  }
}

static void ignored_arguments(void) {
  MPI_Datatype never_set;
  int value = rank, all[64];
  memset(&never_set, 0x5a, sizeof never_set);
  MPI_Gather(&value, 1, MPI_INT, all, 1, rank == 0 ? MPI_INT : never_set, 0, MPI_COMM_WORLD);
  CHECK(rank != 0 || all[size - 1] == size - 1);
  all[rank] = rank;
  MPI_Allgather(MPI_IN_PLACE, 0, never_set, all, 1, MPI_INT, MPI_COMM_WORLD);
  CHECK(all[size - 1] == size - 1);
}

static void collectives(void) {
  int value = rank + 1, result = 0;
  MPI_Op op;
  MPI_Op_create(largest, 1, &op);
  MPI_Allreduce(&value, &result, 1, MPI_INT, op, MPI_COMM_WORLD);
  CHECK(result == size);
  MPI_Request under_way;
  int later = rank + 1, last = 0;
  MPI_Iallreduce(&later, &last, 1, MPI_INT, op, MPI_COMM_WORLD, &under_way);
  MPI_Op_free(&op);
  CHECK(op == MPI_OP_NULL);
  MPI_Wait(&under_way, MPI_STATUS_IGNORE);
  CHECK(last == size);
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(value == size * (size + 1) / 2);

  int out[64], in[64], counts[64], displacements[64];
  MPI_Datatype types[64];
  for (int i = 0; i < size; ++i) out[i] = 100 * rank + i, counts[i] = 1, displacements[i] = 4 * i, types[i] = MPI_INT;
  MPI_Alltoallw(out, counts, displacements, types, in, counts, displacements, types, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) CHECK(in[i] == 100 * i + rank);
  MPI_Request request;
  MPI_Ialltoallw(out, counts, displacements, types, in, counts, displacements, types, MPI_COMM_WORLD, &request);
  for (int i = 0; i < size; ++i) types[i] = MPI_DATATYPE_NULL; /* wrong in MPI; here a copy is used */
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(in[size - 1] == 100 * (size - 1) + rank);
}

static void topologies(void) {
  int extent = size, periodic = 0, source = 0, destination = 0, kind = 0, result = 0, sent = rank, got[2] = {-1, -1};
  MPI_Comm line, graph;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &extent, &periodic, 0, &line);
  MPI_Cart_shift(line, 0, 1, &source, &destination);
  CHECK(source == (rank == 0 ? MPI_PROC_NULL : rank - 1));
  CHECK(destination == (rank == size - 1 ? MPI_PROC_NULL : rank + 1));
  MPI_Topo_test(line, &kind);
  CHECK(kind == MPI_CART);
  MPI_Topo_test(MPI_COMM_WORLD, &kind);
  CHECK(kind == MPI_UNDEFINED);
  MPI_Comm_compare(MPI_COMM_WORLD, line, &result);
  CHECK(result == MPI_CONGRUENT);
  MPI_Aint places[2] = {0, 4};
  int counts[2] = {1, 1}, out[2] = {sent, sent};
  MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  MPI_Neighbor_alltoallw(out, counts, places, types, got, counts, places, types, line);
  CHECK(got[0] == (rank == 0 ? -1 : rank - 1) && got[1] == (rank == size - 1 ? -1 : rank + 1));
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &graph);
  MPI_Topo_test(graph, &kind);
  CHECK(kind == MPI_DIST_GRAPH);
  MPI_Neighbor_allgather(&sent, 1, MPI_INT, got, 1, MPI_INT, graph);
  CHECK(got[0] == left);
  MPI_Comm_free(&graph);
  MPI_Comm_free(&line);

  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, 0, &part);
  CHECK((part == MPI_COMM_NULL) == (rank == 0));
  if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part);
  CHECK(part != MPI_COMM_NULL);
  MPI_Comm_free(&part);
  MPI_Group all, none;
  int ranks[2] = {0, MPI_PROC_NULL}, translated[2];
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_difference(all, all, &none);
  CHECK(none == MPI_GROUP_EMPTY);
  MPI_Group_translate_ranks(all, 2, ranks, all, translated);
  CHECK(translated[0] == 0 && translated[1] == MPI_PROC_NULL);
  CHECK(MPI_Group_translate_ranks(all, 0, ranks, all, translated) == 0);
  MPI_Group_free(&all);
}

static void datatypes(void) {
  int lengths[2] = {1, 2}, integers[32], ni, na, nd, combiner, length;
  MPI_Aint places[2] = {0, 8}, addresses[4];
  MPI_Datatype made, parts[4], types[2] = {MPI_INT, MPI_DOUBLE};
  char name[MPI_MAX_OBJECT_NAME];
  MPI_Type_create_struct(2, lengths, places, types, &made);
  MPI_Type_commit(&made);
  MPI_Type_get_envelope(made, &ni, &na, &nd, &combiner);
  MPI_Type_get_contents(made, ni, na, nd, integers, addresses, parts);
  CHECK(combiner == MPI_COMBINER_STRUCT && parts[0] == MPI_INT && parts[1] == MPI_DOUBLE);
  MPI_Type_free(&made);
  CHECK(made == MPI_DATATYPE_NULL);

  int sizes[2] = {4, 6}, some[2] = {2, 3}, starts[2] = {1, 1};
  MPI_Type_create_subarray(2, sizes, some, starts, MPI_ORDER_FORTRAN, MPI_INT, &made);
  MPI_Type_get_envelope(made, &ni, &na, &nd, &combiner);
  MPI_Type_get_contents(made, ni, na, nd, integers, addresses, parts);
  CHECK(combiner == MPI_COMBINER_SUBARRAY && integers[7] == MPI_ORDER_FORTRAN && integers[2] == 6);
  MPI_Type_free(&made);

  int distributions[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, grid[2] = {1, 1};
  int arguments[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2};
  MPI_Type_create_darray(1, 0, 2, sizes, distributions, arguments, grid, MPI_ORDER_C, MPI_DOUBLE, &made);
  MPI_Type_get_envelope(made, &ni, &na, &nd, &combiner);
  MPI_Type_get_contents(made, ni, na, nd, integers, addresses, parts);
  CHECK(combiner == MPI_COMBINER_DARRAY && ni == 12 && integers[11] == MPI_ORDER_C && parts[0] == MPI_DOUBLE);
  CHECK(integers[5] == MPI_DISTRIBUTE_BLOCK && integers[6] == MPI_DISTRIBUTE_CYCLIC);
  CHECK(integers[7] == MPI_DISTRIBUTE_DFLT_DARG && integers[8] == 2);
  MPI_Type_free(&made);
  MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &made);
  MPI_Type_size(made, &length);
  CHECK(length == 8);
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  CHECK(strcmp(name, "MPI_COMM_WORLD") == 0 && length == 14);
  MPI_Comm_set_name(MPI_COMM_WORLD, "a name of more characters than Open MPI has room for: it ends before these words");
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  CHECK(length == (int)strlen(name) && length < MPI_MAX_OBJECT_NAME);
}

static void windows(void) {
  int memory = rank, got = -1, flag = 0, *value = 0;
  MPI_Win win;
  MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &value, &flag);
  CHECK(flag && *value == MPI_WIN_FLAVOR_CREATE);
  MPI_Win_get_attr(win, MPI_WIN_MODEL, &value, &flag);
  CHECK(flag && *value == MPI_WIN_UNIFIED);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  MPI_Get(&got, 1, MPI_INT, right, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  CHECK(got == right);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  got = 1;
  MPI_Accumulate(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
  MPI_Win_unlock(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    CHECK(memory == size);
    MPI_Win_unlock(0, win);
  }
  MPI_Win_free(&win);
  CHECK(win == MPI_WIN_NULL);
}

static void files(void) {
  int value = rank, got = -1, amode = 0, count = 0;
  MPI_File file;
  MPI_Status status;
  int how = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  MPI_File_open(MPI_COMM_WORLD, "numbers", how, MPI_INFO_NULL, &file);
  MPI_File_get_amode(file, &amode);
  CHECK(amode == how);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_write_at(file, rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek(file, right, MPI_SEEK_SET);
  MPI_File_read(file, &got, 1, MPI_INT, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(got == right && count == 1);
  MPI_File_close(&file);
  CHECK(file == MPI_FILE_NULL);
}

static int queried, freed;

static int query(void* state, MPI_Status* status) {
  ++queried;
  status->MPI_SOURCE = MPI_PROC_NULL;
  status->MPI_TAG = 5;
  MPI_Status_set_elements(status, MPI_BYTE, 3);
  MPI_Status_set_cancelled(status, 0);
  return *(int*)state;
}

static int release(void* state) {
  freed = *(int*)state + 1;
  return 0;
}

static int cancel(void* state, int complete) { return *(int*)state * complete; }

static void generalized(void) {
  int zero = 0, count = 0;
  MPI_Request request;
  MPI_Status status;
  MPI_Grequest_start(query, release, cancel, &zero, &request);
  MPI_Grequest_complete(request);
  MPI_Wait(&request, &status);
  MPI_Get_count(&status, MPI_BYTE, &count);
  CHECK(request == MPI_REQUEST_NULL && queried == 1 && freed == 1 && count == 3);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == 5);
}

int main(int argc, char** argv) {
  int provided = -1, total = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  right = (rank + 1) % size;
  left = (rank + size - 1) % size;
  messages();
  errors();
  attributes();
  collectives();
  ignored_arguments();
  topologies();
  datatypes();
  windows();
  files();
  generalized();
  MPI_Allreduce(&wrong, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d wrong\n", total);
  MPI_Finalize();
  return total != 0;
}
