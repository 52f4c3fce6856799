"""No rank frees its group."""

# kind: unfreed-group

from mpi4py import MPI

world = MPI.COMM_WORLD
made = world.Get_group()  # WRONG
