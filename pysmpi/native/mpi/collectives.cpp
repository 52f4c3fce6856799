// The collective functions and MPI_Reduce_local: they check the arguments and start the schedule.
#include "datatypes/datatype.hpp"
#include "engine/simulation.hpp"
#include "matching/failures.hpp"
#include "mpi/collective_forms.hpp"
#include "objects/errors.hpp"
#include "rma/completion.hpp"
#include "schedule/local_work.hpp"

using namespace pysmpi;

namespace {

int barrier(const Called& called, MPI_Comm comm) {
  Checked check(called, comm);
  if (!check.ok()) return check.error();
  const int error = check.run(Operation::kBarrier, -1);
  const Communicator* const communicator = find_communicator(comm);
  if (error != MPI_SUCCESS || called.form != Form::kBlocking || communicator->windows.empty()) return error;
  const Fault fault = finish_in_barrier(*communicator);
  if (fault.error == MPI_SUCCESS || fault.error == kErrorStopped) return fault.error;
  return fail(comm, fault.error, called.function, "%s", describe(fault).c_str());
}

int bcast(const Called& called, void* buffer, std::int64_t count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  Checked check(called, comm);
  const bool good = check.ok() && check.root(root) &&
                    ((!check.at_root() && !check.has_root()) ||
                     (check.not_in_place(buffer, "buffer") && check.receive(buffer, count, datatype)));
  return good ? check.run(Operation::kBcast, check.a.receive_bytes(), true) : check.error();
}

int reduce_to_root(const Called& called, const void* sendbuf, void* recvbuf, std::int64_t count, MPI_Datatype datatype,
                   MPI_Op op, int root, MPI_Comm comm) {
  Checked check(called, comm);
  bool good = check.ok() && check.root(root);
  if (good && (check.at_root() || check.has_root())) {
    good = check.reduction(sendbuf, recvbuf, count, datatype, op, check.at_root(), check.has_root()) &&
           (check.at_root() || check.not_in_place(sendbuf, "sendbuf"));
  }
  return good ? check.run(Operation::kReduce, check.a.receive_bytes(), true) : check.error();
}

int allreduce(const Called& called, const void* sendbuf, void* recvbuf, std::int64_t count, MPI_Datatype datatype,
              MPI_Op op, MPI_Comm comm) {
  Checked check(called, comm);
  const bool good = check.reduction(sendbuf, recvbuf, count, datatype, op, true);
  return good ? check.run(Operation::kAllreduce, check.a.receive_bytes()) : check.error();
}

int scan(const Called& called, const void* sendbuf, void* recvbuf, std::int64_t count, MPI_Datatype datatype, MPI_Op op,
         MPI_Comm comm) {
  Checked check(called, comm);
  const bool good = check.ok() && check.intra() && check.reduction(sendbuf, recvbuf, count, datatype, op, true);
  return good ? check.run(Operation::kScan, check.a.receive_bytes()) : check.error();
}

int exscan(const Called& called, const void* sendbuf, void* recvbuf, std::int64_t count, MPI_Datatype datatype,
           MPI_Op op, MPI_Comm comm) {
  Checked check(called, comm);
  const bool good = check.ok() && check.intra() && check.not_in_place(recvbuf, "recvbuf") &&
                    check.reduction(sendbuf, recvbuf, count, datatype, op, check.rank > 0 || sendbuf == MPI_IN_PLACE);
  return good ? check.run(Operation::kExscan, check.a.receive_bytes()) : check.error();
}

int reduce_scatter(const Called& called, const void* sendbuf, void* recvbuf, Integers recvcounts, MPI_Datatype datatype,
                   MPI_Op op, MPI_Comm comm) {
  Checked check(called, comm);
  if (!check.ok() || !check.given(recvcounts, "recvcounts") || !check.counts(recvcounts, check.size))
    return check.error();
  check.a.receive_blocks = check.size;
  check.a.receive_counts = recvcounts;
  const std::int64_t total = check.a.total_receive_count();
  if (!check.reduction(sendbuf, recvbuf, total, datatype, op, recvcounts[check.rank] > 0)) return check.error();
  return check.run(Operation::kReduceScatter, check.a.receive_bytes());
}

int reduce_scatter_block(const Called& called, const void* sendbuf, void* recvbuf, std::int64_t recvcount,
                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  Checked check(called, comm);
  check.a.receive_blocks = check.size;
  const bool good = check.reduction(sendbuf, recvbuf, recvcount, datatype, op, true);
  return good ? check.run(Operation::kReduceScatter, check.a.receive_bytes()) : check.error();
}

int gather(const Called& called, const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
           std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  Checked check(called, comm);
  const bool good =
      check.ok() && check.root(root) &&
      (!check.has_root() ||
       (check.send(sendbuf, sendcount, sendtype) && (check.at_root() || check.not_in_place(sendbuf, "sendbuf")))) &&
      (!check.at_root() || (check.not_in_place(recvbuf, "recvbuf") && check.receive(recvbuf, recvcount, recvtype) &&
                            check.own_blocks_distinct(false, true)));
  if (!good) return check.error();
  return check.run(Operation::kGather, sendbuf == MPI_IN_PLACE ? check.a.receive_bytes() : check.a.send_bytes(), true);
}

int gatherv(const Called& called, const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
            Integers recvcounts, Integers displs, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  Checked check(called, comm);
  const bool good = check.ok() && check.root(root) &&
                    (!check.has_root() || (check.send(sendbuf, sendcount, sendtype) &&
                                           (check.at_root() || check.not_in_place(sendbuf, "sendbuf")))) &&
                    (!check.at_root() || (check.not_in_place(recvbuf, "recvbuf") &&
                                          check.receive_blocks(recvbuf, recvcounts, displs, recvtype) &&
                                          check.own_blocks_distinct(false, true)));
  return good ? check.run(Operation::kGatherv, -1, true) : check.error();
}

int scatter(const Called& called, const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
            std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  Checked check(called, comm);
  const bool good =
      check.ok() && check.root(root) &&
      (!check.has_root() ||
       (check.receive(recvbuf, recvcount, recvtype) && (check.at_root() || check.not_in_place(recvbuf, "recvbuf")))) &&
      (!check.at_root() || (check.not_in_place(sendbuf, "sendbuf") && check.send(sendbuf, sendcount, sendtype) &&
                            check.own_blocks_distinct(true, false)));
  if (!good) return check.error();
  return check.run(Operation::kScatter, recvbuf == MPI_IN_PLACE ? check.a.send_bytes() : check.a.receive_bytes(), true);
}

int scatterv(const Called& called, const void* sendbuf, Integers sendcounts, Integers displs, MPI_Datatype sendtype,
             void* recvbuf, std::int64_t recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  Checked check(called, comm);
  const bool good = check.ok() && check.root(root) &&
                    (!check.has_root() || (check.receive(recvbuf, recvcount, recvtype) &&
                                           (check.at_root() || check.not_in_place(recvbuf, "recvbuf")))) &&
                    (!check.at_root() || (check.not_in_place(sendbuf, "sendbuf") &&
                                          check.send_blocks(sendbuf, sendcounts, displs, sendtype) &&
                                          check.own_blocks_distinct(true, false)));
  return good ? check.run(Operation::kScatterv, -1, true) : check.error();
}

int allgather(const Called& called, const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
              std::int64_t recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  Checked check(called, comm);
  const bool good = check.ok() && check.not_in_place(recvbuf, "recvbuf") && check.send(sendbuf, sendcount, sendtype) &&
                    check.receive(recvbuf, recvcount, recvtype) && check.own_blocks_distinct(false, true);
  return good ? check.run(Operation::kAllgather, check.a.receive_bytes()) : check.error();
}

int allgatherv(const Called& called, const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
               Integers recvcounts, Integers displs, MPI_Datatype recvtype, MPI_Comm comm) {
  Checked check(called, comm);
  const bool good = check.ok() && check.not_in_place(recvbuf, "recvbuf") && check.send(sendbuf, sendcount, sendtype) &&
                    check.receive_blocks(recvbuf, recvcounts, displs, recvtype) &&
                    check.own_blocks_distinct(false, true);
  return good ? check.run(Operation::kAllgatherv, -1) : check.error();
}

int alltoall(const Called& called, const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype, void* recvbuf,
             std::int64_t recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  Checked check(called, comm);
  const bool good = check.ok() && check.not_in_place(recvbuf, "recvbuf") && check.send(sendbuf, sendcount, sendtype) &&
                    check.receive(recvbuf, recvcount, recvtype) && check.own_blocks_distinct(true, true);
  return good ? check.run(Operation::kAlltoall, check.a.receive_bytes()) : check.error();
}

int alltoallv(const Called& called, const void* sendbuf, Integers sendcounts, Integers sdispls, MPI_Datatype sendtype,
              void* recvbuf, Integers recvcounts, Integers rdispls, MPI_Datatype recvtype, MPI_Comm comm) {
  Checked check(called, comm);
  const bool good = check.ok() && check.not_in_place(recvbuf, "recvbuf") &&
                    check.send_blocks(sendbuf, sendcounts, sdispls, sendtype) &&
                    check.receive_blocks(recvbuf, recvcounts, rdispls, recvtype) &&
                    check.own_blocks_distinct(true, true);
  return good ? check.run(Operation::kAlltoallv, -1) : check.error();
}

int alltoallw(const Called& called, const void* sendbuf, Integers sendcounts, Integers sdispls, Integers sendtypes,
              void* recvbuf, Integers recvcounts, Integers rdispls, Integers recvtypes, MPI_Comm comm) {
  Checked check(called, comm);
  const bool good = check.ok() && check.not_in_place(recvbuf, "recvbuf") && check.send_types(sendbuf, sendtypes) &&
                    check.send_blocks(sendbuf, sendcounts, sdispls, MPI_BYTE) && check.receive_types(recvtypes) &&
                    check.receive_blocks(recvbuf, recvcounts, rdispls, MPI_BYTE) &&
                    check.own_blocks_distinct(true, true);
  return good ? check.run(Operation::kAlltoallw, -1) : check.error();
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
PYSMPI_VECTOR_COLLECTIVE(reduce_scatter, Reduce_scatter, Ireduce_scatter, REDUCE_SCATTER, sendbuf, recvbuf, recvcounts,
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
PYSMPI_VECTOR_COLLECTIVE(gatherv, Gatherv, Igatherv, GATHERV, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs,
                         recvtype, root, comm)

#define SCATTERV(Count, Displacement)                                                                               \
  const void *sendbuf, const Count sendcounts[], const Displacement displs[], MPI_Datatype sendtype, void *recvbuf, \
      Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm
PYSMPI_VECTOR_COLLECTIVE(scatterv, Scatterv, Iscatterv, SCATTERV, sendbuf, sendcounts, displs, sendtype, recvbuf,
                         recvcount, recvtype, root, comm)

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
PYSMPI_VECTOR_COLLECTIVE(allgatherv, Allgatherv, Iallgatherv, ALLGATHERV, sendbuf, sendcount, sendtype, recvbuf,
                         recvcounts, displs, recvtype, comm)

#define ALLTOALLV(Count, Displacement)                                                                               \
  const void *sendbuf, const Count sendcounts[], const Displacement sdispls[], MPI_Datatype sendtype, void *recvbuf, \
      const Count recvcounts[], const Displacement rdispls[], MPI_Datatype recvtype, MPI_Comm comm
PYSMPI_VECTOR_COLLECTIVE(alltoallv, Alltoallv, Ialltoallv, ALLTOALLV, sendbuf, sendcounts, sdispls, sendtype, recvbuf,
                         recvcounts, rdispls, recvtype, comm)

#define ALLTOALLW(Count, Displacement)                                                                         \
  const void *sendbuf, const Count sendcounts[], const Displacement sdispls[], const MPI_Datatype sendtypes[], \
      void *recvbuf, const Count recvcounts[], const Displacement rdispls[], const MPI_Datatype recvtypes[],   \
      MPI_Comm comm
PYSMPI_VECTOR_COLLECTIVE(alltoallw, Alltoallw, Ialltoallw, ALLTOALLW, sendbuf, sendcounts, sdispls, sendtypes, recvbuf,
                         recvcounts, rdispls, recvtypes, comm)

int MPI_Reduce_local_c(const void* inbuf, void* inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op) {
  Checked check(Called{"MPI_Reduce_local"});
  if (!check.reduction(inbuf, inoutbuf, count, datatype, op, true)) return check.error();
  if (!check.not_in_place(inbuf, "inbuf")) return check.error();
  const Reduction reduction = check.a.reduction;  // a copy, since the program's operation may call MPI
  reduce(reduction, datatype, inbuf, inoutbuf, count);
  const std::int64_t bytes = count * find_datatype(datatype)->size;
  return spend_combining(simulation().running, bytes, "MPI_Reduce_local") ? MPI_SUCCESS : kErrorStopped;
}
