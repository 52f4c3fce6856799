// The neighbourhood collective functions: they check the arguments and start the schedule.
#include "mpi/collective_forms.hpp"

using namespace pysmpi;

namespace {

// The checks that are common to all neighbourhood collectives: the communicator is an intracommunicator with a
// topology, and no buffer is MPI_IN_PLACE.
bool check_common(Checked& check, const void* sendbuf, const void* recvbuf) {
  return check.ok() && check.intra() && check.neighbourhood() && check.not_in_place(sendbuf, "sendbuf") &&
         check.not_in_place(recvbuf, "recvbuf");
}

int neighbor_allgather(const Called& called, const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                       void* recvbuf, std::int64_t recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  Checked check(called, comm);
  const bool good = check_common(check, sendbuf, recvbuf) && check.send(sendbuf, sendcount, sendtype) &&
                    check.receive(recvbuf, recvcount, recvtype);
  return good ? check.run(Operation::kNeighborAllgather, -1) : check.error();
}

int neighbor_allgatherv(const Called& called, const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                        void* recvbuf, Integers recvcounts, Integers displs, MPI_Datatype recvtype, MPI_Comm comm) {
  Checked check(called, comm);
  const bool good = check_common(check, sendbuf, recvbuf) && check.send(sendbuf, sendcount, sendtype) &&
                    check.receive_blocks(recvbuf, recvcounts, displs, recvtype);
  return good ? check.run(Operation::kNeighborAllgatherv, -1) : check.error();
}

int neighbor_alltoall(const Called& called, const void* sendbuf, std::int64_t sendcount, MPI_Datatype sendtype,
                      void* recvbuf, std::int64_t recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  Checked check(called, comm);
  const bool good = check_common(check, sendbuf, recvbuf) && check.send(sendbuf, sendcount, sendtype) &&
                    check.receive(recvbuf, recvcount, recvtype);
  return good ? check.run(Operation::kNeighborAlltoall, -1) : check.error();
}

int neighbor_alltoallv(const Called& called, const void* sendbuf, Integers sendcounts, Integers sdispls,
                       MPI_Datatype sendtype, void* recvbuf, Integers recvcounts, Integers rdispls,
                       MPI_Datatype recvtype, MPI_Comm comm) {
  Checked check(called, comm);
  const bool good = check_common(check, sendbuf, recvbuf) &&
                    check.send_blocks(sendbuf, sendcounts, sdispls, sendtype) &&
                    check.receive_blocks(recvbuf, recvcounts, rdispls, recvtype);
  return good ? check.run(Operation::kNeighborAlltoallv, -1) : check.error();
}

int neighbor_alltoallw(const Called& called, const void* sendbuf, Integers sendcounts, Integers sdispls,
                       Integers sendtypes, void* recvbuf, Integers recvcounts, Integers rdispls, Integers recvtypes,
                       MPI_Comm comm) {
  Checked check(called, comm);
  const bool good = check_common(check, sendbuf, recvbuf) && check.send_types(sendbuf, sendtypes) &&
                    check.send_blocks(sendbuf, sendcounts, sdispls, MPI_BYTE) && check.receive_types(recvtypes) &&
                    check.receive_blocks(recvbuf, recvcounts, rdispls, MPI_BYTE);
  return good ? check.run(Operation::kNeighborAlltoallw, -1) : check.error();
}

}  // namespace

#define NEIGHBOR_ALLGATHER(Count, Displacement)                                                                       \
  const void *sendbuf, Count sendcount, MPI_Datatype sendtype, void *recvbuf, Count recvcount, MPI_Datatype recvtype, \
      MPI_Comm comm
PYSMPI_COLLECTIVE(neighbor_allgather, Neighbor_allgather, Ineighbor_allgather, NEIGHBOR_ALLGATHER, sendbuf, sendcount,
                  sendtype, recvbuf, recvcount, recvtype, comm)
PYSMPI_COLLECTIVE(neighbor_alltoall, Neighbor_alltoall, Ineighbor_alltoall, NEIGHBOR_ALLGATHER, sendbuf, sendcount,
                  sendtype, recvbuf, recvcount, recvtype, comm)

#define NEIGHBOR_ALLGATHERV(Count, Displacement)                                                        \
  const void *sendbuf, Count sendcount, MPI_Datatype sendtype, void *recvbuf, const Count recvcounts[], \
      const Displacement displs[], MPI_Datatype recvtype, MPI_Comm comm
PYSMPI_VECTOR_COLLECTIVE(neighbor_allgatherv, Neighbor_allgatherv, Ineighbor_allgatherv, NEIGHBOR_ALLGATHERV, sendbuf,
                         sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm)

#define NEIGHBOR_ALLTOALLV(Count, Displacement)                                                                      \
  const void *sendbuf, const Count sendcounts[], const Displacement sdispls[], MPI_Datatype sendtype, void *recvbuf, \
      const Count recvcounts[], const Displacement rdispls[], MPI_Datatype recvtype, MPI_Comm comm
PYSMPI_VECTOR_COLLECTIVE(neighbor_alltoallv, Neighbor_alltoallv, Ineighbor_alltoallv, NEIGHBOR_ALLTOALLV, sendbuf,
                         sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm)

// The displacements have the type MPI_Aint both in MPI_Neighbor_alltoallw and in MPI_Neighbor_alltoallw_c.
#define NEIGHBOR_ALLTOALLW(Count, Displacement)                                                            \
  const void *sendbuf, const Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], \
      void *recvbuf, const Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm
PYSMPI_VECTOR_COLLECTIVE(neighbor_alltoallw, Neighbor_alltoallw, Ineighbor_alltoallw, NEIGHBOR_ALLTOALLW, sendbuf,
                         sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm)
