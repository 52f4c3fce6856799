! Nothing but a barrier, which shows what each rank of a Fortran program needs.
program barrier
  use mpi
  implicit none
  integer :: error
  call MPI_Init(error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program
