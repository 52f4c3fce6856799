"""A communicator is used that has been freed."""

# kind: mpi-error

from mpi4py import MPI

world = MPI.COMM_WORLD

other = world.Dup()
other.Free()
if world.rank == 0:
    other.Barrier()  # WRONG
