! Pairs of normal random numbers, counted by their size, without messages in between (as NAS EP).
program ep
  use mpi
  implicit none
  integer, parameter :: pairs = 2**16
  integer :: rank, size, ierr, i, l, counts(0:9), all(0:9)
  integer(8) :: seed
  real(8) :: x, y, t, sums(2), total(2)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  counts = 0
  sums = 0
  do i = rank + 1, pairs, size
    seed = i
    x = 2 * draw() - 1
    y = 2 * draw() - 1
    t = x * x + y * y
    if (t <= 1 .and. t > 0) then
      t = sqrt(-2 * log(t) / t)
      x = x * t
      y = y * t
      l = min(int(max(abs(x), abs(y))), 9)
      counts(l) = counts(l) + 1
      sums = sums + [x, y]
    end if
  end do
  call MPI_Reduce(counts, all, 10, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  call MPI_Reduce(sums, total, 2, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) write(*, '(a,2f16.8,10i7)') 'EP', total, all
  call MPI_Finalize(ierr)
contains
  real(8) function draw()
    integer :: k
    do k = 1, 3
      seed = iand(seed * 25214903917_8 + 11_8, 281474976710655_8)
    end do
    draw = seed / 281474976710656d0
  end function
end program
