/* Functions whose buffers are local variables, in the stack that all ranks share. A function of `kept_*` passes such a
 * buffer to a call that refers to it after its return. A function of `right_*` may have it there; it returns 1 if the
 * data are right after other ranks have run. */
#include <mpi.h>

#define WORLD MPI_COMM_WORLD

typedef struct {
  int rank, size, left, right;
} Me;

static Me me(void) {
  Me m;
  MPI_Comm_rank(WORLD, &m.rank);
  MPI_Comm_size(WORLD, &m.size);
  m.left = (m.rank + m.size - 1) % m.size;
  m.right = (m.rank + 1) % m.size;
  return m;
}

/* A datatype whose displacement is the address of a variable, for MPI_BOTTOM. */
static MPI_Datatype at(void* variable, int count) {
  MPI_Aint address;
  MPI_Datatype type;
  MPI_Get_address(variable, &address);
  MPI_Type_create_hindexed(1, &count, &address, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

#define KEPT(NAME, ...)                                         \
  void kept_##NAME(int* heap) {                                 \
    int local[8] = {0}, counts[64] = {0}, offsets[64] = {0};    \
    MPI_Datatype types[64], bottom = at(local, 4);              \
    MPI_Request q = MPI_REQUEST_NULL;                           \
    MPI_Message message;                                        \
    MPI_Win win;                                                \
    const Me m = me();                                          \
    for (int i = 0; i < 64; i++) types[i] = MPI_INT;            \
    counts[m.rank] = 1;                                         \
    (void)q, (void)message, (void)win, (void)heap, (void)types; \
    (void)bottom, (void)offsets;                                \
    __VA_ARGS__;                                                \
  }

KEPT(Isend, MPI_Isend(local, 8, MPI_INT, m.right, 0, WORLD, &q))
KEPT(Issend, MPI_Issend(local, 8, MPI_INT, m.right, 0, WORLD, &q))
KEPT(Irsend, MPI_Irsend(local, 8, MPI_INT, m.right, 0, WORLD, &q))
KEPT(Irecv, MPI_Irecv(local, 8, MPI_INT, m.left, 0, WORLD, &q))
KEPT(Irecv_bottom, MPI_Irecv(MPI_BOTTOM, 1, bottom, m.left, 0, WORLD, &q))
KEPT(Irecv_inside, MPI_Irecv(local + 7, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &q))
KEPT(Imrecv, {
  MPI_Send(heap, 1, MPI_INT, m.right, 0, WORLD);
  MPI_Mprobe(m.left, 0, WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(local, 1, MPI_INT, &message, &q);
})
KEPT(Isendrecv, MPI_Isendrecv(heap, 1, MPI_INT, m.right, 0, local, 1, MPI_INT, m.left, 0, WORLD, &q))
KEPT(Isendrecv_of, MPI_Isendrecv(local, 1, MPI_INT, m.right, 0, heap, 1, MPI_INT, m.left, 0, WORLD, &q))
KEPT(Isendrecv_replace, MPI_Isendrecv_replace(local, 1, MPI_INT, m.right, 0, m.left, 0, WORLD, &q))
KEPT(Send_init, MPI_Send_init(local, 1, MPI_INT, m.right, 0, WORLD, &q))
KEPT(Recv_init, MPI_Recv_init(local, 1, MPI_INT, m.left, 0, WORLD, &q))
KEPT(Psend_init, MPI_Psend_init(local, 2, 4, MPI_INT, m.right, 0, WORLD, MPI_INFO_NULL, &q))
KEPT(Precv_init, MPI_Precv_init(local, 2, 4, MPI_INT, m.left, 0, WORLD, MPI_INFO_NULL, &q))
KEPT(Ibcast, MPI_Ibcast(local, 8, MPI_INT, 0, WORLD, &q))
KEPT(Iallreduce, MPI_Iallreduce(heap, local, 8, MPI_INT, MPI_SUM, WORLD, &q))
KEPT(Iallreduce_in_place, MPI_Iallreduce(MPI_IN_PLACE, local, 8, MPI_INT, MPI_SUM, WORLD, &q))
KEPT(Iscan, MPI_Iscan(heap, local, 1, MPI_INT, MPI_SUM, WORLD, &q))
KEPT(Iscatter, MPI_Iscatter(heap, 1, MPI_INT, local, 1, MPI_INT, 0, WORLD, &q))
KEPT(Iallgather, MPI_Iallgather(heap, 1, MPI_INT, local, 1, MPI_INT, WORLD, &q))
KEPT(Ialltoallv, MPI_Ialltoallv(heap, counts, offsets, MPI_INT, local, counts, offsets, MPI_INT, WORLD, &q))
KEPT(Ialltoallw, {
  types[m.rank] = bottom;
  MPI_Ialltoallw(heap, counts, offsets, types, MPI_BOTTOM, counts, offsets, types, WORLD, &q);
})
KEPT(Bcast_init, MPI_Bcast_init(local, 8, MPI_INT, 0, WORLD, MPI_INFO_NULL, &q))
KEPT(Gather_init, MPI_Gather_init(local, 1, MPI_INT, heap, 1, MPI_INT, 0, WORLD, MPI_INFO_NULL, &q))
KEPT(Win_create, MPI_Win_create(local, sizeof local, 1, MPI_INFO_NULL, WORLD, &win))
KEPT(Win_attach, {
  MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &win);
  MPI_Win_attach(win, local, sizeof local);
})
KEPT(Buffer_attach, MPI_Buffer_attach(local, sizeof local))
KEPT(Comm_attach_buffer, MPI_Comm_attach_buffer(WORLD, local, sizeof local))
KEPT(Get, {
  MPI_Win_create(heap, 32, 4, MPI_INFO_NULL, WORLD, &win);
  MPI_Win_fence(0, win);
  MPI_Get(local, 1, MPI_INT, m.right, 0, 1, MPI_INT, win);
})
KEPT(Rget, {
  MPI_Win_create(heap, 32, 4, MPI_INFO_NULL, WORLD, &win);
  MPI_Win_lock_all(0, win);
  MPI_Rget(local, 1, MPI_INT, m.right, 0, 1, MPI_INT, win, &q);
})
/* Variables on the heap and on the stack in one message: blocking calls are refused, too. */
KEPT(Recv_mixed, {
  MPI_Aint addresses[2];
  const int ones[2] = {1, 1};
  MPI_Datatype mixed;
  MPI_Get_address(heap, &addresses[0]);
  MPI_Get_address(local, &addresses[1]);
  MPI_Type_create_hindexed(2, ones, addresses, MPI_INT, &mixed);
  MPI_Type_commit(&mixed);
  MPI_Recv(MPI_BOTTOM, 1, mixed, m.left, 0, WORLD, MPI_STATUS_IGNORE);
})

int right_blocking(int* heap) {
  const Me m = me();
  int in[4] = {-1, -1, -1, -1}, out[4], sum[4];
  MPI_Status status;
  for (int i = 0; i < 4; i++) out[i] = 10 * m.rank + i;
  if (m.rank % 2) MPI_Send(out, 4, MPI_INT, m.right, 5, WORLD);
  MPI_Recv(in, 4, MPI_INT, m.left, 5, WORLD, &status);
  if (m.rank % 2 == 0) MPI_Send(out, 4, MPI_INT, m.right, 5, WORLD);
  MPI_Allreduce(out, sum, 4, MPI_INT, MPI_SUM, WORLD);
  return in[3] == 10 * m.left + 3 && status.MPI_SOURCE == m.left && out[2] == 10 * m.rank + 2 &&
         sum[1] == 10 * m.size * (m.size - 1) / 2 + m.size;
}

int right_bottom(int* heap) {
  const Me m = me();
  int in[4] = {-1, -1, -1, -1}, out[4], all[64], counts[64], offsets[64] = {0};
  MPI_Datatype types[64], into[64];
  for (int i = 0; i < 4; i++) out[i] = 10 * m.rank + i;
  MPI_Datatype from = at(out, 4), to = at(in, 4);
  MPI_Sendrecv(MPI_BOTTOM, 1, from, m.right, 0, MPI_BOTTOM, 1, to, m.left, 0, WORLD, MPI_STATUS_IGNORE);
  int right = in[3] == 10 * m.left + 3;
  if (m.rank == 1) out[2] = 77;
  MPI_Bcast(MPI_BOTTOM, 1, from, 1, WORLD);
  right &= out[2] == 77 && out[3] == 13;
  for (int i = 0; i < m.size; i++) {
    counts[i] = 1;
    types[i] = MPI_INT;
    into[i] = at(all + i, 1);
  }
  heap[0] = 100 + m.rank;
  MPI_Alltoallw(heap, counts, offsets, types, MPI_BOTTOM, counts, offsets, into, WORLD);
  for (int i = 0; i < m.size; i++) right &= all[i] == 100 + i;
  return right;
}

int right_completion(int* heap) {
  const Me m = me();
  MPI_Request q[3];
  MPI_Status s[3];
  int index[3], count, flag = 0;
  heap[0] = m.rank;
  MPI_Irecv(heap + 1, 1, MPI_INT, m.left, 1, WORLD, &q[0]);
  MPI_Irecv(heap + 2, 1, MPI_INT, m.right, 2, WORLD, &q[1]);
  MPI_Ibarrier(WORLD, &q[2]);
  MPI_Send(heap, 1, MPI_INT, m.right, 1, WORLD);
  MPI_Send(heap, 1, MPI_INT, m.left, 2, WORLD);
  MPI_Waitall(3, q, s);
  int right = heap[1] == m.left && s[0].MPI_SOURCE == m.left && s[1].MPI_TAG == 2 && q[2] == MPI_REQUEST_NULL;
  MPI_Irecv(heap + 3, 1, MPI_INT, m.left, 3, WORLD, &q[0]);
  MPI_Barrier(WORLD);
  MPI_Send(heap, 1, MPI_INT, m.right, 3, WORLD);
  MPI_Waitsome(1, q, &count, index, s);
  right &= count == 1 && index[0] == 0 && s[0].MPI_TAG == 3 && heap[3] == m.left;
  MPI_Irecv(heap + 3, 1, MPI_INT, m.left, 4, WORLD, &q[1]);
  MPI_Send(heap, 1, MPI_INT, m.right, 4, WORLD);
  while (!flag) MPI_Test(&q[1], &flag, &s[1]);
  return right && s[1].MPI_SOURCE == m.left && s[1].MPI_TAG == 4;
}

int right_nonblocking(int* heap) {
  const Me m = me();
  int out = m.rank, counts[64], offsets[64];
  MPI_Comm twin;
  MPI_Request q[4];
  for (int i = 0; i < m.size; i++) counts[i] = 1, offsets[i] = i, heap[i] = 10 * m.rank + i;
  MPI_Iallreduce(&out, heap + 100, 1, MPI_INT, MPI_SUM, WORLD, &q[0]); /* what it sends is copied */
  MPI_Ialltoallv(heap, counts, offsets, MPI_INT, heap + 50, counts, offsets, MPI_INT, WORLD, &q[1]);
  MPI_Comm_idup(WORLD, &twin, &q[2]);
  MPI_Irecv(&out, 0, MPI_INT, MPI_PROC_NULL, 0, WORLD, &q[3]);
  MPI_Barrier(WORLD);
  MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
  int right = heap[100] == m.size * (m.size - 1) / 2, twins = 0;
  for (int i = 0; i < m.size; i++) right &= heap[50 + i] == 10 * i + m.rank;
  MPI_Comm_size(twin, &twins);
  MPI_Comm_free(&twin);
  return right && twins == m.size;
}

int right_one_sided(int* heap) {
  const Me m = me();
  int *base, out = 10 * m.rank, one = 1, fetched = -1, old = -1, compare = 0, fresh = 5, got[2] = {-1, -1};
  MPI_Win win;
  MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &base, &win);
  for (int i = 0; i < 4; i++) base[i] = 0;
  MPI_Barrier(WORLD);
  MPI_Win_lock_all(0, win);
  MPI_Put(&out, 1, MPI_INT, m.right, 0, 1, MPI_INT, win);
  MPI_Accumulate(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, win);
  MPI_Fetch_and_op(&one, &fetched, MPI_INT, 0, 2, MPI_SUM, win);
  MPI_Compare_and_swap(&fresh, &compare, &old, MPI_INT, m.right, 3, win);
  out = -1;
  MPI_Win_flush_all(win);
  MPI_Barrier(WORLD);
  MPI_Get_accumulate(got, 2, MPI_INT, got, 2, MPI_INT, m.right, 0, 2, MPI_INT, MPI_NO_OP, win);
  MPI_Win_unlock_all(win);
  MPI_Barrier(WORLD);
  int right = base[0] == 10 * m.left && base[3] == 5 && fetched >= 0 && fetched < m.size && old == 0 &&
              got[0] == 10 * m.rank && (m.rank > 0 || base[1] == m.size);
  MPI_Win_free(&win);
  return right;
}

int right_file(int* heap) {
  const Me m = me();
  int out = 7 + m.rank, in = -1;
  MPI_File file;
  MPI_Request q;
  MPI_File_open(WORLD, "values", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_iwrite_at(file, 4 * m.rank, &out, 1, MPI_INT, &q);
  out = -1;
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  MPI_Barrier(WORLD);
  MPI_File_iread_at_all(file, 4 * m.left, &in, 1, MPI_INT, &q);
  MPI_Barrier(WORLD);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  return in == 7 + m.left;
}
