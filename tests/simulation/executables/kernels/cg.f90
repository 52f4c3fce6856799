! Conjugate gradients for a Laplacian in one dimension, with boundary exchanges and sums over all ranks (as NAS CG).
program cg
  implicit none
  include 'mpif.h'
  integer :: rank, size, n, steps, i, ierr
  real(8), allocatable, dimension(:) :: x, r, p, q, right_side
  real(8) :: rho, before, alpha, norm, worst, all
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  n = 1024 / size
  allocate(x(0:n + 1), r(n), p(0:n + 1), q(n))
  right_side = [(sin(real(rank * n + i, 8)), i = 1, n)]
  x = 0
  r = right_side
  p(1:n) = r
  rho = dot(r, r)
  steps = 0
  do while (rho > 1d-20)
    call multiply(p, q)
    alpha = rho / dot(p(1:n), q)
    x(1:n) = x(1:n) + alpha * p(1:n)
    r = r - alpha * q
    before = rho
    rho = dot(r, r)
    p(1:n) = r + rho / before * p(1:n)
    steps = steps + 1
  end do
  call multiply(x, q)
  norm = sqrt(dot(x(1:n), x(1:n)))
  worst = maxval(abs(q - right_side))
  call MPI_Reduce(worst, all, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) write(*, '(2a,i6,f20.10)') 'CG ', merge('right', 'wrong', all < 1d-9), steps, norm
  call MPI_Finalize(ierr)
contains
  real(8) function dot(a, b)
    real(8), intent(in) :: a(:), b(:)
    call MPI_Allreduce(dot_product(a, b), dot, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  end function

  subroutine multiply(a, b)
    real(8), intent(inout), asynchronous :: a(0:n + 1)
    real(8), intent(out) :: b(n)
    integer :: requests(4), left, right
    left = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    right = merge(rank + 1, MPI_PROC_NULL, rank < size - 1)
    a(0) = 0
    a(n + 1) = 0
    call MPI_Irecv(a(0), 1, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Irecv(a(n + 1), 1, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Isend(a(1), 1, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, requests(3), ierr)
    call MPI_Isend(a(n), 1, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, requests(4), ierr)
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierr)
    b = 2.5d0 * a(1:n) - a(0:n - 1) - a(2:n + 1)
  end subroutine
end program
