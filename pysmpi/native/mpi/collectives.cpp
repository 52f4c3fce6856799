// The collective functions and MPI_Reduce_local: they check the arguments and start the schedule.
#include "mpi/collective_forms.hpp"

using namespace pysmpi;

namespace {

int barrier(const Called& called, MPI_Comm comm) {
  Checked c(called, comm);
  return c.ok() ? c.run(Operation::kBarrier, -1) : c.error();
}

int bcast(const Called& called, void* buffer, std::int64_t count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  Checked c(called, comm);
  const bool good =
      c.ok() && c.root(root) &&
      ((!c.at_root() && !c.has_root()) || (c.not_in_place(buffer, "buffer") && c.receive(buffer, count, datatype)));
  return good ? c.run(Operation::kBcast, c.a.receive_bytes(), true) : c.error();
}

int reduce_to_root(const Called& called, const void* sendbuf, void* recvbuf, std::int64_t count, MPI_Datatype datatype,
                   MPI_Op op, int root, MPI_Comm comm) {
  Checked c(called, comm);
  bool good = c.ok() && c.root(root);
  if (good && (c.at_root() || c.has_root())) {
    good = c.reduction(sendbuf, recvbuf, count, datatype, op, c.at_root(), c.has_root()) &&
           (c.at_root() || c.not_in_place(sendbuf, "sendbuf"));
  }
  return good ? c.run(Operation::kReduce, c.a.receive_bytes(), true) : c.error();
}

int allreduce(const Called& called, const void* sendbuf, void* recvbuf, std::int64_t count, MPI_Datatype datatype,
              MPI_Op op, MPI_Comm comm) {
  Checked c(called, comm);
  const bool good = c.reduction(sendbuf, recvbuf, count, datatype, op, true);
  return good ? c.run(Operation::kAllreduce, c.a.receive_bytes()) : c.error();
}

int scan(const Called& called, const void* sendbuf, void* recvbuf, std::int64_t count, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm) {
  Checked c(called, comm);
  const bool good = c.ok() && c.intra() && c.reduction(sendbuf, recvbuf, count, datatype, op, true);
  return good ? c.run(Operation::kScan, c.a.receive_bytes()) : c.error();
}

int exscan(const Called& called, const void* sendbuf, void* recvbuf, std::int64_t count, MPI_Datatype datatype,
           MPI_Op op, MPI_Comm comm) {
  Checked c(called, comm);
  const bool good =
      c.ok() && c.intra() && c.reduction(sendbuf, recvbuf, count, datatype, op, c.rank > 0 || sendbuf == MPI_IN_PLACE);
  return good ? c.run(Operation::kExscan, c.a.receive_bytes()) : c.error();
}

int reduce_scatter(const Called& called, const void* sendbuf, void* recvbuf, Integers recvcounts, MPI_Datatype datatype,
                   MPI_Op op, MPI_Comm comm) {
  Checked c(called, comm);
  if (!c.ok() || !c.given(recvcounts, "recvcounts") || !c.counts(recvcounts, c.size)) return c.error();
  c.a.receive_blocks = c.size;
  c.a.receive_counts = recvcounts;
  const std::int64_t total = c.a.total_receive_count();
  if (!c.reduction(sendbuf, recvbuf, total, datatype, op, recvcounts[c.rank] > 0)) return c.error();
  return c.run(Operation::kReduceScatter, c.a.receive_bytes());
}

int reduce_scatter_block(const Called& called, const void* sendbuf, void* recvbuf, std::int64_t recvcount,
                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  Checked c(called, comm);
  c.a.receive_blocks = c.size;
  const bool good = c.reduction(sendbuf, recvbuf, recvcount, datatype, op, true);
  return good ? c.run(Operation::kReduceScatter, c.a.receive_bytes()) : c.error();
}

int gather(const Called& called, const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
           std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  Checked c(called, comm);
  const bool good = c.ok() && c.root(root) &&
                    (!c.has_root() ||
                     (c.send(sendbuf, sendcount, sendtype) && (c.at_root() || c.not_in_place(sendbuf, "sendbuf")))) &&
                    (!c.at_root() || (c.not_in_place(recvbuf, "recvbuf") && c.receive(recvbuf, recvcount, recvtype)));
  if (!good) return c.error();
  return c.run(Operation::kGather, sendbuf == MPI_IN_PLACE ? c.a.receive_bytes() : c.a.send_bytes(), true);
}

int gatherv(const Called& called, const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
            Integers recvcounts, Integers displs, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  Checked c(called, comm);
  const bool good =
      c.ok() && c.root(root) &&
      (!c.has_root() ||
       (c.send(sendbuf, sendcount, sendtype) && (c.at_root() || c.not_in_place(sendbuf, "sendbuf")))) &&
      (!c.at_root() || (c.not_in_place(recvbuf, "recvbuf") && c.receive_blocks(recvbuf, recvcounts, displs, recvtype)));
  return good ? c.run(Operation::kGatherv, -1, true) : c.error();
}

int scatter(const Called& called, const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
            std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  Checked c(called, comm);
  const bool good = c.ok() && c.root(root) &&
                    (!c.has_root() || (c.receive(recvbuf, recvcount, recvtype) &&
                                       (c.at_root() || c.not_in_place(recvbuf, "recvbuf")))) &&
                    (!c.at_root() || (c.not_in_place(sendbuf, "sendbuf") && c.send(sendbuf, sendcount, sendtype)));
  if (!good) return c.error();
  return c.run(Operation::kScatter, recvbuf == MPI_IN_PLACE ? c.a.send_bytes() : c.a.receive_bytes(), true);
}

int scatterv(const Called& called, const void* sendbuf, Integers sendcounts, Integers displs, MPI_Datatype sendtype,
             void* recvbuf, std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  Checked c(called, comm);
  const bool good =
      c.ok() && c.root(root) &&
      (!c.has_root() ||
       (c.receive(recvbuf, recvcount, recvtype) && (c.at_root() || c.not_in_place(recvbuf, "recvbuf")))) &&
      (!c.at_root() || (c.not_in_place(sendbuf, "sendbuf") && c.send_blocks(sendbuf, sendcounts, displs, sendtype)));
  return good ? c.run(Operation::kScatterv, -1, true) : c.error();
}

int allgather(const Called& called, const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
              std::int64_t recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  Checked c(called, comm);
  const bool good = c.ok() && c.not_in_place(recvbuf, "recvbuf") && c.send(sendbuf, sendcount, sendtype) &&
                    c.receive(recvbuf, recvcount, recvtype);
  return good ? c.run(Operation::kAllgather, c.a.receive_bytes()) : c.error();
}

int allgatherv(const Called& called, const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
               Integers recvcounts, Integers displs, MPI_Datatype recvtype, MPI_Comm comm) {
  Checked c(called, comm);
  const bool good = c.ok() && c.not_in_place(recvbuf, "recvbuf") && c.send(sendbuf, sendcount, sendtype) &&
                    c.receive_blocks(recvbuf, recvcounts, displs, recvtype);
  return good ? c.run(Operation::kAllgatherv, -1) : c.error();
}

int alltoall(const Called& called, const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
             std::int64_t recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  Checked c(called, comm);
  const bool good = c.ok() && c.not_in_place(recvbuf, "recvbuf") && c.send(sendbuf, sendcount, sendtype) &&
                    c.receive(recvbuf, recvcount, recvtype) && c.distinct(sendbuf, recvbuf, c.a.receive_bytes());
  return good ? c.run(Operation::kAlltoall, c.a.receive_bytes()) : c.error();
}

int alltoallv(const Called& called, const void* sendbuf, Integers sendcounts, Integers sdispls, MPI_Datatype sendtype,
              void* recvbuf, Integers recvcounts, Integers rdispls, MPI_Datatype recvtype, MPI_Comm comm) {
  Checked c(called, comm);
  const bool good = c.ok() && c.not_in_place(recvbuf, "recvbuf") &&
                    c.send_blocks(sendbuf, sendcounts, sdispls, sendtype) &&
                    c.receive_blocks(recvbuf, recvcounts, rdispls, recvtype);
  return good ? c.run(Operation::kAlltoallv, -1) : c.error();
}

int alltoallw(const Called& called, const void* sendbuf, Integers sendcounts, Integers sdispls, Integers sendtypes,
              void* recvbuf, Integers recvcounts, Integers rdispls, Integers recvtypes, MPI_Comm comm) {
  Checked c(called, comm);
  const bool good = c.ok() && c.not_in_place(recvbuf, "recvbuf") && c.send_types(sendbuf, sendtypes) &&
                    c.send_blocks(sendbuf, sendcounts, sdispls, MPI_BYTE) && c.receive_types(recvtypes) &&
                    c.receive_blocks(recvbuf, recvcounts, rdispls, MPI_BYTE);
  return good ? c.run(Operation::kAlltoallw, -1) : c.error();
}

}  // namespace

int MPI_Barrier(MPI_Comm comm) { return barrier({"MPI_Barrier"}, comm); }
int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  return barrier({"MPI_Ibarrier", Form::kNonblocking, request}, comm);
}
int MPI_Barrier_init(MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return barrier({"MPI_Barrier_init", Form::kPersistent, request}, comm);
}

#define BCAST(Count, Displacement) void *buffer, Count count, MPI_Datatype datatype, int root, MPI_Comm comm
PYSMPI_COLLECTIVE(bcast, Bcast, Ibcast, BCAST, buffer, count, datatype, root, comm)

#define REDUCE(Count, Displacement) \
  const void *sendbuf, void *recvbuf, Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm
PYSMPI_COLLECTIVE(reduce_to_root, Reduce, Ireduce, REDUCE, sendbuf, recvbuf, count, datatype, op, root, comm)

#define ALLREDUCE(Count, Displacement) \
  const void *sendbuf, void *recvbuf, Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm
PYSMPI_COLLECTIVE(allreduce, Allreduce, Iallreduce, ALLREDUCE, sendbuf, recvbuf, count, datatype, op, comm)
PYSMPI_COLLECTIVE(scan, Scan, Iscan, ALLREDUCE, sendbuf, recvbuf, count, datatype, op, comm)
PYSMPI_COLLECTIVE(exscan, Exscan, Iexscan, ALLREDUCE, sendbuf, recvbuf, count, datatype, op, comm)
PYSMPI_COLLECTIVE(reduce_scatter_block, Reduce_scatter_block, Ireduce_scatter_block, ALLREDUCE, sendbuf, recvbuf, count,
                  datatype, op, comm)

#define REDUCE_SCATTER(Count, Displacement) \
  const void *sendbuf, void *recvbuf, const Count recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm
PYSMPI_COLLECTIVE(reduce_scatter, Reduce_scatter, Ireduce_scatter, REDUCE_SCATTER, sendbuf, recvbuf, recvcounts,
                  datatype, op, comm)

#define GATHER(Count, Displacement)                                                                                   \
  const void *sendbuf, Count sendcount, MPI_Datatype sendtype, void *recvbuf, Count recvcount, MPI_Datatype recvtype, \
      int root, MPI_Comm comm
PYSMPI_COLLECTIVE(gather, Gather, Igather, GATHER, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                  comm)
PYSMPI_COLLECTIVE(scatter, Scatter, Iscatter, GATHER, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                  comm)

#define GATHERV(Count, Displacement)                                                                    \
  const void *sendbuf, Count sendcount, MPI_Datatype sendtype, void *recvbuf, const Count recvcounts[], \
      const Displacement displs[], MPI_Datatype recvtype, int root, MPI_Comm comm
PYSMPI_COLLECTIVE(gatherv, Gatherv, Igatherv, GATHERV, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                  recvtype, root, comm)

#define SCATTERV(Count, Displacement)                                                                               \
  const void *sendbuf, const Count sendcounts[], const Displacement displs[], MPI_Datatype sendtype, void *recvbuf, \
      Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm
PYSMPI_COLLECTIVE(scatterv, Scatterv, Iscatterv, SCATTERV, sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount,
                  recvtype, root, comm)

#define ALLGATHER(Count, Displacement)                                                                                \
  const void *sendbuf, Count sendcount, MPI_Datatype sendtype, void *recvbuf, Count recvcount, MPI_Datatype recvtype, \
      MPI_Comm comm
PYSMPI_COLLECTIVE(allgather, Allgather, Iallgather, ALLGATHER, sendbuf, sendcount, sendtype, recvbuf, recvcount,
                  recvtype, comm)
PYSMPI_COLLECTIVE(alltoall, Alltoall, Ialltoall, ALLGATHER, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                  comm)

#define ALLGATHERV(Count, Displacement)                                                                 \
  const void *sendbuf, Count sendcount, MPI_Datatype sendtype, void *recvbuf, const Count recvcounts[], \
      const Displacement displs[], MPI_Datatype recvtype, MPI_Comm comm
PYSMPI_COLLECTIVE(allgatherv, Allgatherv, Iallgatherv, ALLGATHERV, sendbuf, sendcount, sendtype, recvbuf, recvcounts,
                  displs, recvtype, comm)

#define ALLTOALLV(Count, Displacement)                                                                               \
  const void *sendbuf, const Count sendcounts[], const Displacement sdispls[], MPI_Datatype sendtype, void *recvbuf, \
      const Count recvcounts[], const Displacement rdispls[], MPI_Datatype recvtype, MPI_Comm comm
PYSMPI_COLLECTIVE(alltoallv, Alltoallv, Ialltoallv, ALLTOALLV, sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                  recvcounts, rdispls, recvtype, comm)

#define ALLTOALLW(Count, Displacement)                                                                         \
  const void *sendbuf, const Count sendcounts[], const Displacement sdispls[], const MPI_Datatype sendtypes[], \
      void *recvbuf, const Count recvcounts[], const Displacement rdispls[], const MPI_Datatype recvtypes[],   \
      MPI_Comm comm
PYSMPI_COLLECTIVE(alltoallw, Alltoallw, Ialltoallw, ALLTOALLW, sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                  recvcounts, rdispls, recvtypes, comm)

int MPI_Reduce_local(const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype, MPI_Op op) {
  return MPI_Reduce_local_c(inbuf, inoutbuf, count, datatype, op);
}

int MPI_Reduce_local_c(const void* inbuf, void* inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op) {
  Checked c({"MPI_Reduce_local"}, MPI_COMM_SELF);
  if (!c.reduction(inbuf, inoutbuf, count, datatype, op, true)) return c.error();
  if (!c.not_in_place(inbuf, "inbuf")) return c.error();
  const Reduction reduction = c.a.reduction;  // a copy, since the program's operation may call MPI
  reduce(reduction, datatype, inbuf, inoutbuf, count);
  return MPI_SUCCESS;
}
