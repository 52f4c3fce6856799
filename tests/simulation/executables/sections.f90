! The module mpi_f08: sections of arrays with gaps, handles, statuses, comparisons, optional error codes.
program sections
  use mpi_f08
  implicit none
  integer :: rank, size, i, j, count, length
  integer :: whole(6, 4), part(3, 2), sums(4)
  real(8) :: line(10)
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status, statuses(2)
  type(MPI_Comm) :: comm
  type(MPI_Datatype) :: kind
  logical :: flag
  character(len=MPI_MAX_ERROR_STRING) :: text
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  whole = reshape([(100 * rank + i, i = 1, 24)], [6, 4])
  part = 0
  call MPI_Irecv(part, 6, MPI_INTEGER, mod(rank + size - 1, size), 3, comm, requests(1))
  call MPI_Isend(whole(1:6:2, 2:4:2), 6, MPI_INTEGER, mod(rank + 1, size), 3, comm, requests(2))
  call MPI_Waitall(2, requests, statuses)
  call MPI_Get_count(statuses(1), MPI_INTEGER, count)
  line = 0
  call MPI_Sendrecv([(1d0 * (rank + i), i = 1, 5)], 5, MPI_DOUBLE_PRECISION, mod(rank + 1, size), 4, &
                    line(10:2:-2), 5, MPI_DOUBLE_PRECISION, mod(rank + size - 1, size), 4, comm, MPI_STATUS_IGNORE)
  sums = [rank, 1, rank * rank, -rank]
  call MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_INTEGER, MPI_SUM, comm)
  call MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, flag, status)
  call MPI_Type_vector(2, 1, 3, MPI_INTEGER, kind)
  call MPI_Type_commit(kind)
  call MPI_Bcast(whole(2, 1), 1, kind, 0, comm)
  call MPI_Error_string(MPI_ERR_COMM, text, length)
  write(*, '(30i5)') rank, part, count, nint(line), sums, whole(2, 1), whole(5, 1), merge(1, 0, flag), &
    merge(1, 0, comm == MPI_COMM_WORLD), merge(1, 0, comm /= MPI_COMM_WORLD), statuses(1)%MPI_SOURCE, min(length, 1)
  call MPI_Comm_free(comm)
  call MPI_Finalize()
end program
