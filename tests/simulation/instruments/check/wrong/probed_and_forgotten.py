"""A matched probe finds a message that nobody receives."""

# kind: unreceived-probed-message

from mpi4py import MPI

world = MPI.COMM_WORLD

if world.rank == 0:
    world.Send(bytearray(4), 1)  # WRONG
else:
    world.Mprobe(0)
