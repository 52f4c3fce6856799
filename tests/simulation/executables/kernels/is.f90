! Sort integers: counts by value, an exchange of all with all, and a check that neighbours are in order (as NAS IS).
program is
  use mpi
  implicit none
  integer, parameter :: total = 2**14, largest = 2**16
  integer :: rank, size, mine, received, i, to, edges(2), before, checks(2), all_checks(2), ierr
  integer, allocatable, dimension(:) :: keys, sorted, counts, theirs, from, into
  integer(8) :: x, sums(2), all_sums(2)
  logical :: right
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  mine = total / size
  allocate(keys(mine), theirs(0:size - 1), from(0:size - 1), into(0:size - 1))
  allocate(counts(0:size - 1), source=0)
  do i = 1, mine
    x = (rank * mine + i) * 6364136223846793005_8 + 1442695040888963407_8  ! modulo 2**64
    keys(i) = int(mod(ishft(x, -33), int(largest, 8)))
  end do
  sums(1) = sum(int(keys, 8))
  call sort(keys)
  do i = 1, mine
    to = int(int(keys(i), 8) * size / largest)
    counts(to) = counts(to) + 1
  end do
  call MPI_Alltoall(counts, 1, MPI_INTEGER, theirs, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  do i = 0, size - 1
    from(i) = sum(counts(:i - 1))
    into(i) = sum(theirs(:i - 1))
  end do
  received = sum(theirs)
  allocate(sorted(received))
  call MPI_Alltoallv(keys, counts, from, MPI_INTEGER, sorted, theirs, into, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  call sort(sorted)
  edges = -1
  if (received > 0) edges = [sorted(1), sorted(received)]
  before = -1
  call MPI_Exscan(edges(2), before, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierr)
  checks = [merge(1, 0, rank > 0 .and. received > 0 .and. before > edges(1)), received]
  call MPI_Reduce(checks, all_checks, 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  sums(2) = sum(int(sorted, 8))
  call MPI_Reduce(sums, all_sums, 2, MPI_INTEGER8, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  right = all_checks(1) == 0 .and. all_sums(1) == all_sums(2)
  if (rank == 0) write(*, '(2a,2i12)') 'IS ', merge('right', 'wrong', right), all_checks(2), all_sums(2)
  call MPI_Finalize(ierr)
contains
  subroutine sort(values)
    integer, intent(inout) :: values(:)
    integer, allocatable :: frequency(:)
    integer :: done, value, k
    allocate(frequency(0:largest - 1), source=0)
    do k = 1, ubound(values, 1)
      frequency(values(k)) = frequency(values(k)) + 1
    end do
    done = 0
    do value = 0, largest - 1
      values(done + 1:done + frequency(value)) = value
      done = done + frequency(value)
    end do
  end subroutine
end program
