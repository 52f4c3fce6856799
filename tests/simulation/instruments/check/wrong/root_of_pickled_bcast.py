"""A pickled broadcast from two roots."""

# kind: mismatched-root

from mpi4py import MPI

world = MPI.COMM_WORLD

world.bcast("all", root=world.rank)  # WRONG
