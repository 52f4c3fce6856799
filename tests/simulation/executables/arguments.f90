! Arguments that differ between C and Fortran: texts, logicals, indices, constants by address, attributes, callbacks.
module callbacks
contains
  subroutine add(in, inout, length, kind)
    integer :: length, kind, i
    integer :: in(length), inout(length)
    do i = 1, length
      inout(i) = inout(i) + in(i) + 1
    end do
  end subroutine
  subroutine copy(comm, key, extra, value, copied, flag, ierr)
    use mpi
    integer :: comm, key, ierr
    integer(MPI_ADDRESS_KIND) :: extra, value, copied
    logical :: flag
    copied = value + extra
    flag = .true.
    ierr = MPI_SUCCESS
  end subroutine
end module

program arguments
  use mpi
  use callbacks
  implicit none
  integer :: rank, size, ierr, length, i, index, request(2), status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
  integer :: values(3), received(3), cart, dims(2), coords(2), op, key, info, number, unit, other, count, kind, error
  integer(MPI_ADDRESS_KIND) :: value, extra, lower, extent
  logical :: flag, periods(2)
  character(len=MPI_MAX_PROCESSOR_NAME) :: name
  character(len=20) :: text
  integer, save :: calls = 0
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  calls = calls + 1 + rank
  call MPI_Get_processor_name(name, length, ierr)
  call MPI_Initialized(flag, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Irecv(received, 3, MPI_INTEGER, mod(rank + size - 1, size), 7, MPI_COMM_WORLD, request(1), ierr)
  values = [rank, rank + 1, rank + 2]
  call MPI_Isend(values, 3, MPI_INTEGER, mod(rank + 1, size), 7, MPI_COMM_WORLD, request(2), ierr)
  call MPI_Waitany(1, request, index, status, ierr)
  call MPI_Waitall(2, request, statuses, ierr)
  call MPI_Get_count(status, MPI_INTEGER, count, ierr)
  call MPI_Test(request(1), flag, MPI_STATUS_IGNORE, ierr)
  dims = 0
  periods = [.true., .false.]
  call MPI_Dims_create(size, 2, dims, ierr)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., cart, ierr)
  call MPI_Cart_get(cart, 2, dims, periods, coords, ierr)
  call MPI_Op_create(add, .true., op, ierr)
  call MPI_Allreduce(MPI_IN_PLACE, values, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  number = rank
  call MPI_Reduce(number, other, 1, MPI_INTEGER, op, 0, MPI_COMM_WORLD, ierr)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
  if (rank == 0) print '(a,l2,l2,i12)', 'tag', flag, value > 30000, merge(other, 0, size <= 2)
  extra = 100
  call MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, key, extra, ierr)
  value = 5 + rank
  call MPI_Comm_set_attr(MPI_COMM_WORLD, key, value, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, other, ierr)
  call MPI_Comm_get_attr(other, key, value, flag, ierr)
  call MPI_Comm_set_name(other, 'my name', ierr)
  text = repeat('x', 20)
  call MPI_Comm_get_name(other, name, length, ierr)
  call MPI_Info_create(info, ierr)
  call MPI_Info_set(info, 'one', '  first value ', ierr)
  call MPI_Info_get(info, 'one', 20, text, flag, ierr)
  call MPI_Type_get_extent(MPI_DOUBLE_PRECISION, lower, extent, ierr)
  call MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, kind, ierr)
  call MPI_Sizeof(value, number, ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
  call MPI_Send(values, 1, MPI_INTEGER, 99, 0, MPI_COMM_WORLD, error)
  open(newunit=unit, status='scratch')
  write(unit, *) rank
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  rewind(unit)
  read(unit, *) i
  write(*, '(20i6)') rank, calls, received, count, index, dims, coords, values, int(value), int(extent), number, i, &
    merge(1, 0, kind == MPI_DOUBLE_PRECISION), merge(1, 0, error /= MPI_SUCCESS)
  print '(i3,3l2,4a)', rank, periods, flag, ' [', trim(name), '] ', trim(text)
  call MPI_Finalize(ierr)
  if (rank == 1) stop 3
end program
