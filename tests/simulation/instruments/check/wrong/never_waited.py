"""A request is never waited for."""

# kind: unfinished-request

from mpi4py import MPI

world = MPI.COMM_WORLD

if world.rank == 0:
    world.Isend(bytearray(4), 1)  # WRONG
else:
    world.Recv(bytearray(4), 0)
