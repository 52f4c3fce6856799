! A discrete Fourier transform in two dimensions with a transposition by an exchange of all with all (as NAS FT).
program ft
  use mpi_f08
  implicit none
  integer, parameter :: n = 256
  integer :: rank, size, mine, i, j, p
  complex(8), allocatable :: a(:, :), b(:, :), sent(:, :, :), received(:, :, :)
  real(8) :: energy(2), all(2)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  mine = n / size
  allocate(a(n, mine), b(n, mine), sent(mine, mine, 0:size - 1), received(mine, mine, 0:size - 1))
  do j = 1, mine
    do i = 1, n
      a(i, j) = cmplx(sin(0.1d0 * i), cos(0.2d0 * (rank * mine + j)), 8)
    end do
  end do
  energy(1) = sum(abs(a)**2)
  do j = 1, mine
    call transform(a(:, j))
  end do
  do p = 0, size - 1
    sent(:, :, p) = transpose(a(p * mine + 1:(p + 1) * mine, :))
  end do
  call MPI_Alltoall(sent, mine * mine, MPI_DOUBLE_COMPLEX, received, mine * mine, MPI_DOUBLE_COMPLEX, MPI_COMM_WORLD)
  do p = 0, size - 1
    b(p * mine + 1:(p + 1) * mine, :) = received(:, :, p)
  end do
  do j = 1, mine
    call transform(b(:, j))
  end do
  energy(2) = sum(abs(b)**2) / (real(n, 8) * n)
  call MPI_Reduce(energy, all, 2, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
  ! Parseval's theorem: the energy stays the same.
  if (rank == 0) write(*, '(2a,f20.6)') 'FT ', merge('right', 'wrong', abs(all(1) - all(2)) < 1d-9 * all(1)), all(1)
  call MPI_Finalize()
contains
  recursive subroutine transform(x)
    complex(8), intent(inout) :: x(:)
    complex(8) :: even(ubound(x, 1) / 2), odd(ubound(x, 1) / 2), factor
    integer :: k, m
    m = ubound(x, 1)
    if (m == 1) return
    even = x(1::2)
    odd = x(2::2)
    call transform(even)
    call transform(odd)
    do k = 1, m / 2
      factor = exp(cmplx(0d0, -6.283185307179586d0 * (k - 1) / m, 8)) * odd(k)
      x(k) = even(k) + factor
      x(k + m / 2) = even(k) - factor
    end do
  end subroutine
end program
