"""No rank frees its communicator."""

# kind: unfreed-communicator

from mpi4py import MPI

world = MPI.COMM_WORLD
made = world.Split(world.rank)  # WRONG
