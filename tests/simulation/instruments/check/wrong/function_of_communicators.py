"""One rank duplicates a communicator while the other splits it."""

# kind: mismatched-collective

from mpi4py import MPI

world = MPI.COMM_WORLD

if world.rank == 0:
    world.Dup()  # WRONG
else:
    world.Split(0)  # WRONG
