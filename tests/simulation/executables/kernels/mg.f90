! Two grids in three dimensions on a Cartesian communicator: smoothing, restriction, halos by datatypes (as NAS MG).
program mg
  use mpi_f08
  implicit none
  type(MPI_Comm) :: grid
  integer :: rank, size, dims(3) = 0, coords(3), m(3), h(3), i, j, k
  real(8), allocatable :: u(:, :, :), c(:, :, :)
  real(8) :: mine(2), all(2)
  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call MPI_Dims_create(size, 3, dims)
  call MPI_Cart_create(MPI_COMM_WORLD, 3, dims, [.true., .true., .true.], .false., grid)
  call MPI_Comm_rank(grid, rank)
  call MPI_Cart_coords(grid, rank, 3, coords)
  m = 32 / dims
  h = m / 2
  allocate(u(0:m(1) + 1, 0:m(2) + 1, 0:m(3) + 1), c(0:h(1) + 1, 0:h(2) + 1, 0:h(3) + 1), source=0d0)
  do concurrent (i = 1:m(1), j = 1:m(2), k = 1:m(3))
    u(i, j, k) = sin(0.3d0 * (coords(1) * m(1) + i)) * cos(0.7d0 * (coords(2) * m(2) + j)) &
                 + 0.1d0 * (coords(3) * m(3) + k)
  end do
  call smooth(u, m, 3)
  c(1:h(1), 1:h(2), 1:h(3)) = u(2:m(1):2, 2:m(2):2, 2:m(3):2)
  call smooth(c, h, 2)
  mine = [sum(u(1:m(1), 1:m(2), 1:m(3))**2), sum(c(1:h(1), 1:h(2), 1:h(3))**2)]
  call MPI_Reduce(mine, all, 2, MPI_DOUBLE_PRECISION, MPI_SUM, 0, grid)
  if (rank == 0) write(*, '(a,2f20.8)') 'MG', all
  call MPI_Finalize()
contains
  subroutine smooth(a, m, steps)
    integer, intent(in) :: m(3), steps
    real(8), intent(inout) :: a(0:m(1) + 1, 0:m(2) + 1, 0:m(3) + 1)
    integer :: step, x, y, z
    x = m(1)
    y = m(2)
    z = m(3)
    do step = 1, steps
      call exchange(a, m)
      a(1:x, 1:y, 1:z) = (a(0:x - 1, 1:y, 1:z) + a(2:x + 1, 1:y, 1:z) + a(1:x, 0:y - 1, 1:z) &
                          + a(1:x, 2:y + 1, 1:z) + a(1:x, 1:y, 0:z - 1) + a(1:x, 1:y, 2:z + 1)) / 6
    end do
  end subroutine

  subroutine exchange(a, m)
    integer, intent(in) :: m(3)
    real(8), intent(inout) :: a(0:m(1) + 1, 0:m(2) + 1, 0:m(3) + 1)
    integer :: d, f, low, high, part(3), begin(3), places(4)
    type(MPI_Datatype) :: face(4)
    do d = 1, 3
      part = m + 2
      part(d) = 1
      places = [0, 1, m(d), m(d) + 1]
      begin = 0
      do f = 1, 4
        begin(d) = places(f)
        call MPI_Type_create_subarray(3, m + 2, part, begin, MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, face(f))
        call MPI_Type_commit(face(f))
      end do
      call MPI_Cart_shift(grid, d - 1, 1, low, high)
      call MPI_Sendrecv(a, 1, face(3), high, 0, a, 1, face(1), low, 0, grid, MPI_STATUS_IGNORE)
      call MPI_Sendrecv(a, 1, face(2), low, 1, a, 1, face(4), high, 1, grid, MPI_STATUS_IGNORE)
      do f = 1, 4
        call MPI_Type_free(face(f))
      end do
    end do
  end subroutine
end program
